import { escapeControls } from '@wabakit/wire'
import type { CheckVerdict, Report } from '../report/report.ts'

const words: Readonly<Record<CheckVerdict, string>> = {
  fail: 'failed',
  advice: 'advice',
  inconclusive: 'inconclusive',
  skipped: 'skipped',
  pass: 'passed',
}

/** Summarizes a report's counts, such as `2 failed, 38 passed`. */
export const summarize = ({ counts }: Report): string =>
  (Object.keys(words) as CheckVerdict[])
    .flatMap((verdict) => (counts[verdict] > 0 ? [`${counts[verdict]} ${words[verdict]}`] : []))
    .join(', ')

/** Escapes control characters that a terminal or editor might interpret, except line breaks. */
export const escapeLines = (text: string): string => text.replace(/[^\n]+/g, escapeControls)
