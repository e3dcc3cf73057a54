import { escapeControls } from '@wabakit/wire'
import type { CheckResult, Report } from '../report/report.ts'
import { describeObserved, describeSkipped, isExplained, listChecks, summarize } from './text.ts'

/** Escapes text for one line of Markdown, without markup, HTML or control characters. */
const escapeMarkdown = (text: string): string =>
  escapeControls(text.replace(/\s+/g, ' ')).replace(/[\\`*_{}[\]<>#|~]/g, (character) => `\\${character}`)

const formatFailure = (check: CheckResult, report: Report): string => {
  const { id, expected, risk, fix, clause, reproduce } = check
  return [
    `### ${id}`,
    '',
    `- **Expected**: ${escapeMarkdown(expected)}`,
    `- **Observed**: ${escapeMarkdown(describeObserved(check, report))}`,
    `- **Risk**: ${escapeMarkdown(risk)}`,
    `- **Fix**: ${escapeMarkdown(fix)}`,
    `- **Clause**: ${escapeMarkdown(clause)}`,
    ...(reproduce === null ? [] : ['', '```sh', escapeControls(reproduce.replaceAll('```', '')), '```']),
    '',
  ].join('\n')
}

export const formatMarkdown = (report: Report): string => {
  const skipped = describeSkipped(report)
  const { listed, inconclusive } = listChecks(report)
  return [
    `## wabakit ${report.tool}: ${report.verdict}`,
    '',
    `${escapeMarkdown(report.target)}: ${summarize(report)}. Seed ${report.seed}.`,
    '',
    '| check | verdict | observed |',
    '|---|---|---|',
    ...listed.map(
      ({ id, verdict, observed, because }) =>
        `| ${id} | ${verdict} | ${because === undefined ? escapeMarkdown(observed) : `see ${because}`} |`,
    ),
    '',
    ...inconclusive.flatMap((text) => [escapeMarkdown(text), '']),
    ...(skipped === undefined ? [] : [escapeMarkdown(skipped), '']),
    ...report.checks.filter(isExplained).map((check) => formatFailure(check, report)),
  ].join('\n')
}
