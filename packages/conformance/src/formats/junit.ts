import type { CheckResult, Report } from '../report/report.ts'
import { escapeLines } from './text.ts'

/** Escapes text for XML 1.0 and replaces disallowed characters: lone surrogates, U+FFFE and U+FFFF. */
const escapeXml = (text: string): string =>
  escapeLines(text)
    .replace(/[\ufffe\uffff]|\p{Surrogate}/gu, '\ufffd')
    .replace(/[<>&"']/g, (character) => `&#${character.charCodeAt(0)};`)

const formatOutcome = ({ verdict, observed, expected, fix, reproduce, because }: CheckResult): string => {
  const details = escapeXml(
    [`Expected: ${expected}`, `Observed: ${observed}`, `Fix: ${fix}`, reproduce ?? ''].join('\n'),
  )
  if (verdict === 'fail')
    return `<failure message="${escapeXml(because === undefined ? observed : `see ${because}: ${observed}`)}">${details}</failure>`
  if (verdict === 'skipped' || verdict === 'inconclusive') {
    return `<skipped message="${escapeXml(`${verdict}: ${observed}`)}"/>`
  }
  return verdict === 'advice' ? `<system-out>${details}</system-out>` : ''
}

const formatCase = (tool: string, check: CheckResult): string => {
  const attributes = `classname="wabakit.${tool}.${escapeXml(check.group)}" name="${escapeXml(check.id)}"`
  return `    <testcase ${attributes} time="${(check.durationMs / 1_000).toFixed(3)}">${formatOutcome(check)}</testcase>`
}

/** Formats a report as JUnit XML with one test suite. Inconclusive checks count as skipped. */
export const formatJunit = ({ tool, target, counts, checks }: Report): string => {
  const skipped = counts.skipped + counts.inconclusive
  const time = checks.reduce((sum, { durationMs }) => sum + durationMs, 0) / 1_000
  const totals = `tests="${checks.length}" failures="${counts.fail}" errors="0" time="${time.toFixed(3)}"`
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites name="wabakit ${tool}" ${totals}>`,
    `  <testsuite name="${escapeXml(`${tool} ${target}`)}" ${totals} skipped="${skipped}">`,
    ...checks.map((check) => formatCase(tool, check)),
    '  </testsuite>',
    '</testsuites>',
    '',
  ].join('\n')
}
