// Reports: what a judge found, and the formats that it can be written in.
export { formatReport, type ReportFormat, reportFormats } from './formats/format-report.ts'
export { exitCodes } from './report/exit-code.ts'
export type { CheckResult, CheckVerdict, Report, Severity, Verdict } from './report/report.ts'
