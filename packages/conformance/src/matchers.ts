import { formatReport } from './formats/format-report.ts'
import type { Report } from './report/report.ts'

/**
 * Passes if a report's verdict is `pass`. The message is the report, in the format `pretty`.
 * Works with `expect.extend` in Vitest and Jest.
 *
 * @example
 * import { toPass } from '@wabakit/conformance/matchers'
 * expect.extend({ toPass })
 * expect(await examineEndpoint({ url, secret })).toPass()
 */
export const toPass = (report: Report): { pass: boolean; message(): string } => ({
  pass: report.verdict === 'pass',
  message: () => formatReport(report, 'pretty'),
})
