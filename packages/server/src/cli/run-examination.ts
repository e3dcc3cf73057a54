import {
  ExaminationUsageError,
  formatReport,
  type Report,
  type ReportFormat,
  reportFormats,
  TargetUnreachableError,
  exitCodes as verdictCodes,
} from '@wabakit/conformance'
import type { Command } from 'commander'
import { addExamples, createOption } from './options.ts'
import { CliError, exitCodes } from './output.ts'
import { createProgressLine } from './progress-line.ts'

/** Adds the option for the report's format, the examples, and the list of exit codes. */
export const addReportOptions = (command: Command, ...examples: readonly string[]): void => {
  const format = createOption('--format <format>', 'how to print the report').choices(reportFormats)
  addExamples(command.addOption(format.default('pretty')), ...examples)
  command.addHelpText('after', '\nExit codes: 0 pass, 1 fail, 2 usage error, 3 unreachable, 4 inconclusive.')
}

/** The severities of a check, the worst first. */
export const severities = ['critical', 'high', 'medium', 'low'] as const
export type Severity = (typeof severities)[number]

/**
 * Returns the exit code of a report. With `failOn`, failures of less severe checks are in the report and change nothing, but a
 * severe check must have had a result.
 */
export const getExitCode = ({ verdict, checks }: Report, failOn: Severity = 'low'): number => {
  const severe = checks.filter((each) => severities.indexOf(each.severity) <= severities.indexOf(failOn))
  const has = (wanted: string): boolean => severe.some((each) => each.verdict === wanted)
  if (verdict !== 'fail' || has('fail')) return verdictCodes[verdict]
  return has('inconclusive') ? verdictCodes.inconclusive : verdictCodes.pass
}

type Progress = {
  onStart(plan: { readonly checks: number }): void
  onResult(result: { readonly id: string; readonly verdict: string }): void
}

/** Runs an examination, and shows its progress on a terminal. Prints its report, and sets the exit code. */
export const runExamination = async (
  { format, failOn }: { readonly format: ReportFormat; readonly failOn?: Severity | undefined },
  examine: (progress: Progress) => Promise<Report>,
): Promise<void> => {
  const progress = createProgressLine()
  let total = 0
  let done = 0
  let report: Report
  try {
    report = await examine({
      onStart: ({ checks }) => {
        total = checks
      },
      onResult: ({ id, verdict }) => {
        done += 1
        if (process.stderr.isTTY) progress.show(id, () => `[${done}/${total}] ${id}: ${verdict}`)
      },
    })
  } catch (cause) {
    const isUnreachable = cause instanceof TargetUnreachableError
    if (!isUnreachable && !(cause instanceof ExaminationUsageError)) throw cause
    throw new CliError(cause.message, isUnreachable ? exitCodes.unreachable : exitCodes.usage, { cause })
  } finally {
    progress.end()
  }
  process.stdout.write(formatReport(report, format))
  process.exitCode = getExitCode(report, failOn)
}
