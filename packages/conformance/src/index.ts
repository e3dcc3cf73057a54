// The doctor attacks a webhook endpoint.
export { examineEndpoint } from './endpoint/examine-endpoint.ts'
export type { ExaminationPlan, ExamineEndpointOptions, Limits } from './endpoint/options.ts'
export { endpointCheckIds, planExamination } from './endpoint/plan.ts'
export type { Exchange } from './endpoint/send.ts'
export { ExaminationUsageError, TargetUnreachableError } from './errors.ts'
// Reports and their formats.
export { formatReport, type ReportFormat, reportFormats } from './formats/format-report.ts'
// The probe asks a service where services differ.
export { type ProbeAnswer, type ProbeOptions, type ProbeResult, probeService } from './probe/probe-service.ts'
export { type ProbeQuestion, probeQuestions } from './probe/questions.ts'
export { formatForm } from './probe/read-form.ts'
export type { CheckResult, Report } from './report/report.ts'
export { exitCodes } from './report/report.ts'
