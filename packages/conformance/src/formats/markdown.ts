import { escapeControls } from '@wabakit/wire'
import type { CheckResult, Report } from '../report/report.ts'
import { summarize } from './text.ts'

/** Escapes text for one line of Markdown, without markup, HTML or control characters. */
const escapeMarkdown = (text: string): string =>
  escapeControls(text.replace(/\s+/g, ' ')).replace(/[\\`*_{}[\]<>#|~]/g, (character) => `\\${character}`)

const formatFailure = ({ id, expected, observed, risk, fix, clause, reproduce }: CheckResult): string =>
  [
    `### ${id}`,
    '',
    `- **Expected**: ${escapeMarkdown(expected)}`,
    `- **Observed**: ${escapeMarkdown(observed)}`,
    `- **Risk**: ${escapeMarkdown(risk)}`,
    `- **Fix**: ${escapeMarkdown(fix)}`,
    `- **Clause**: ${escapeMarkdown(clause)}`,
    ...(reproduce === null ? [] : ['', '```sh', escapeControls(reproduce.replaceAll('```', '')), '```']),
    '',
  ].join('\n')

export const formatMarkdown = (report: Report): string => {
  const failed = report.checks.filter(({ verdict }) => verdict === 'fail' || verdict === 'advice')
  return [
    `## wabakit ${report.tool}: ${report.verdict}`,
    '',
    `${escapeMarkdown(report.target)}: ${summarize(report)}. Seed ${report.seed}.`,
    '',
    '| check | verdict | observed |',
    '|---|---|---|',
    ...report.checks.map(
      ({ id, verdict, observed }) => `| ${id} | ${verdict} | ${escapeMarkdown(observed)} |`,
    ),
    '',
    ...failed.map(formatFailure),
  ].join('\n')
}
