import type { Report } from '../report/report.ts'
import { formatJunit } from './junit.ts'
import { formatMarkdown } from './markdown.ts'
import { formatPretty } from './pretty.ts'
import { formatSarif } from './sarif.ts'
import { escapeLines } from './text.ts'

const formats = {
  pretty: formatPretty,
  json: (report: Report): string => `${escapeLines(JSON.stringify(report, null, 2))}\n`,
  junit: formatJunit,
  sarif: formatSarif,
  markdown: formatMarkdown,
} as const satisfies Record<string, (report: Report) => string>

/** A report format: `pretty` for a terminal, `json`, `junit` for CI systems, `sarif` for code scanning, `markdown`. */
export type ReportFormat = keyof typeof formats

/** The names of all formats. */
export const reportFormats = Object.keys(formats) as readonly ReportFormat[]

/**
 * Formats a report as text that ends with a line break.
 *
 * @example
 * process.stdout.write(formatReport(report, 'markdown'))
 */
export const formatReport = (report: Report, format: ReportFormat): string => formats[format](report)
