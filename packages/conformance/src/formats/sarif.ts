import type { CheckResult, Report, Severity } from '../report/report.ts'
import { describeObserved, escapeLines, isExplained } from './text.ts'

const levels: Readonly<Record<Severity, 'error' | 'warning' | 'note'>> = {
  critical: 'error',
  high: 'error',
  medium: 'warning',
  low: 'note',
}

/** Scores for GitHub's code scanning, which shows them as critical, high, medium and low. */
const scores: Readonly<Record<Severity, string>> = { critical: '9.5', high: '8.0', medium: '5.0', low: '2.0' }

const describeRule = ({ id, title, severity, clause, risk, fix }: CheckResult) => ({
  id,
  name: id,
  shortDescription: { text: title },
  fullDescription: { text: risk },
  help: { text: `${fix} (${clause})` },
  defaultConfiguration: { level: levels[severity] },
  properties: { 'security-severity': scores[severity], tags: ['security', 'webhooks'] },
})

/** Formats a report as SARIF 2.1.0. Every check is a rule, and every failure or advice without another cause is a result. */
export const formatSarif = (report: Report): string => {
  const { tool, target, checks } = report
  const results = checks.flatMap((check, ruleIndex) =>
    isExplained(check)
      ? [
          {
            ruleId: check.id,
            ruleIndex,
            level: check.verdict === 'advice' ? 'note' : levels[check.severity],
            message: {
              text: `${check.title}. Expected: ${check.expected}. Observed: ${describeObserved(check, report)}.`,
            },
            // Code scanning shows only results with a location, and the URL is the only one available.
            locations: [{ physicalLocation: { artifactLocation: { uri: target } } }],
            partialFingerprints: { check: check.id },
          },
        ]
      : [],
  )
  const log = {
    $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
    version: '2.1.0',
    runs: [{ tool: { driver: { name: `wabakit ${tool}`, rules: checks.map(describeRule) } }, results }],
  }
  return `${escapeLines(JSON.stringify(log, null, 2))}\n`
}
