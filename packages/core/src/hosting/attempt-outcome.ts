import type { AttemptReported } from '../delivery/sending.ts'

const maxLineLength = 200

/** Returns the start of the first non-blank line of a response body, or `null` if there is none. */
export const getResponseLine = (body: string | null | undefined): string | null =>
  body
    ?.trim()
    .split(/[\r\n]/, 1)[0]
    ?.slice(0, maxLineLength) || null

/** The effect of an attempt on its delivery; `stale` if another worker has taken it over, or if it has changed. */
export type AttemptOutcome = AttemptReported['result']['kind'] | 'stale'

export const getAttemptOutcome = ({ result, settlement }: AttemptReported): AttemptOutcome =>
  settlement.outcome === 'stale' && result.kind !== 'released' ? 'stale' : result.kind
