import { escapeControls } from '@wabakit/wire'
import type { CheckResult, CheckVerdict, Report } from '../report/report.ts'

const words: Readonly<Record<CheckVerdict, string>> = {
  fail: 'failed',
  advice: 'advice',
  inconclusive: 'inconclusive',
  skipped: 'skipped',
  pass: 'passed',
}

/** Returns whether a report explains a check, with its risk and its fix. What follows from another failure is named there. */
export const isExplained = ({ verdict, because }: CheckResult): boolean =>
  because === undefined && (verdict === 'fail' || verdict === 'advice')

/** Describes what was observed, and the failures and the advice that follow from it. */
export const describeObserved = ({ id, observed }: CheckResult, { checks }: Report): string => {
  const following = checks.flatMap((check) => (check.because === id ? [check.id] : []))
  return following.length === 0 ? observed : `${observed}. These follow from it: ${following.join(', ')}`
}

/** Describes the checks that do not apply to this run in one line, by reason. Returns `undefined` if all apply. */
export const describeSkipped = ({ checks, counts }: Report): string | undefined => {
  if (counts.skipped === 0) return undefined
  const skipped = checks.filter(({ verdict }) => verdict === 'skipped')
  const reasons = [...Map.groupBy(skipped, ({ observed }) => observed)]
  return `skipped: ${reasons.map(([reason, same]) => `${same.length} (${reason})`).join(', ')}`
}

/**
 * Separates the checks that apply into those that are listed, and a line for each reason that leaves several of them inconclusive, such as
 * the time of the run: `43 inconclusive: the time for all checks was over`.
 */
export const listChecks = ({ checks }: Report) => {
  const open = Map.groupBy(
    checks.filter(({ verdict }) => verdict === 'inconclusive'),
    ({ observed }) => observed,
  )
  const shared = [...open].filter(([, same]) => same.length > 1)
  const summed = new Set(shared.flatMap(([, same]) => same))
  return {
    listed: checks.filter((check) => check.verdict !== 'skipped' && !summed.has(check)),
    inconclusive: shared.map(([reason, same]) => `${same.length} inconclusive: ${reason}`),
  }
}

/** Summarizes a report's counts, such as `2 failed, 38 passed`. */
export const summarize = ({ counts }: Report): string =>
  (Object.keys(words) as CheckVerdict[])
    .flatMap((verdict) => (counts[verdict] > 0 ? [`${counts[verdict]} ${words[verdict]}`] : []))
    .join(', ')

/** Escapes control characters that a terminal or editor might interpret, except line breaks. */
export const escapeLines = (text: string): string => text.replace(/[^\n]+/g, escapeControls)
