import { styleText } from 'node:util'
import { escapeControls } from '@wabakit/wire'
import type { CheckResult, CheckVerdict, Report } from '../report/report.ts'
import { describeObserved, describeSkipped, isExplained, listChecks, summarize } from './text.ts'

const marks = {
  pass: ['✓', 'green'],
  fail: ['✗', 'red'],
  advice: ['!', 'yellow'],
  inconclusive: ['?', 'yellow'],
  skipped: ['-', 'gray'],
} as const satisfies Record<CheckVerdict, readonly [mark: string, color: string]>

/** Makes external text safe to print on a terminal, as one line without control characters. */
const toLine = (text: string): string => escapeControls(text.replace(/\s+/g, ' '))

const paint = (verdict: CheckVerdict, text: string): string => styleText(marks[verdict][1], text)

const maxColumns = 80
const indentation = 15

/** Wraps text at spaces, and indents the lines after the first to align with the values of a problem. */
const wrap = (text: string): string => {
  const lines = ['']
  for (const word of text.split(' ')) {
    const line = lines.at(-1) ?? ''
    if (line !== '' && indentation + line.length + 1 + word.length > maxColumns) lines.push(word)
    else lines[lines.length - 1] = line === '' ? word : `${line} ${word}`
  }
  return lines.join(`\n${' '.repeat(indentation)}`)
}

const formatLine = (check: CheckResult, width: number): string => {
  const { verdict, id, observed, because } = check
  const mark = paint(verdict, marks[verdict][0])
  const text = toLine(because === undefined ? observed : `see ${because}`)
  // The full observation of a failure or advice follows below.
  const room = Math.max(20, maxColumns - width - 6)
  const isCut = isExplained(check) && text.length > room
  const shown = isCut ? `${text.slice(0, room - 1)}…` : text
  const remark = verdict === 'pass' ? `${check.durationMs} ms` : shown
  return `  ${mark} ${id.padEnd(width)}  ${styleText('dim', remark)}`
}

const formatProblem = (check: CheckResult, report: Report): string => {
  const { verdict, id, severity, title, expected, risk, fix, clause, reproduce } = check
  const observed = describeObserved(check, report)
  const lines = Object.entries({ expected, observed, risk, fix, clause }).map(([name, text]) => [
    name,
    wrap(toLine(text)),
  ])
  // Commands stay on one line, so that they can be copied.
  if (reproduce !== null) lines.push(['reproduce', toLine(reproduce)])
  return [
    paint(verdict, `${marks[verdict][0]} ${id} (${verdict === 'advice' ? verdict : severity})`),
    `    ${styleText('bold', title)}`,
    ...lines.map(([name = '', text]) => `    ${styleText('dim', name.padEnd(9))}  ${text}`),
    '',
  ].join('\n')
}

/**
 * Formats a report for a terminal: one line per check by group, one for each reason that left several inconclusive, one for all that
 * were skipped, then the problems with their causes and fixes.
 */
export const formatPretty = (report: Report): string => {
  const { tool, target, verdict, seed } = report
  const { listed: checks, inconclusive } = listChecks(report)
  const skipped = describeSkipped(report)
  const remarks = [
    ...inconclusive.map((text) => ['inconclusive', text] as const),
    ...(skipped === undefined ? [] : [['skipped', skipped] as const]),
  ]
  const width = Math.max(...checks.map(({ id }) => id.length), 0)
  const groups = [...new Set(checks.map(({ group }) => group))]
  const problems = ['advice', 'fail'].flatMap((kind) =>
    checks.filter((check) => check.verdict === kind && isExplained(check)),
  )
  const variables = new Set(problems.flatMap(({ reproduce }) => reproduce?.match(/(?<=\$)\w+/g) ?? []))
  const color = verdict === 'pass' ? 'pass' : verdict === 'fail' ? 'fail' : 'inconclusive'
  return [
    `${styleText('bold', `wabakit ${tool}`)}  ${toLine(target)}`,
    '',
    ...groups.flatMap((group) => [
      styleText('bold', group),
      ...checks.filter((check) => check.group === group).map((check) => formatLine(check, width)),
      '',
    ]),
    ...remarks.flatMap(([kind, text]) => [`  ${paint(kind, marks[kind][0])} ${toLine(text)}`, '']),
    ...problems.map((check) => formatProblem(check, report)),
    // Their values may be secrets, which a report never shows.
    ...(variables.size === 0
      ? []
      : ['To repeat a check, first set these variables to what this run was given:', ...variables, '']),
    `${paint(color, verdict)}  ${summarize(report)}  ${styleText('dim', `seed ${seed}`)}`,
    '',
  ].join('\n')
}
