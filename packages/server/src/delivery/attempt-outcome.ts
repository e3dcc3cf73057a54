import type { AttemptReported } from '@wabakit/core'

/** Maximum number of characters of a response line. */
const maxLength = 200

/** Returns the beginning of the first line with text in a response body, or `null` if there is none. */
export const getResponseLine = (body: string | null | undefined): string | null =>
  body
    ?.trim()
    .split(/[\r\n]/, 1)[0]
    ?.slice(0, maxLength) || null

/** The effect of an attempt on its delivery; `stale` if another worker has it now, or it has changed. */
export type AttemptOutcome = AttemptReported['result']['kind'] | 'stale'

export const getAttemptOutcome = ({ result, settlement }: AttemptReported): AttemptOutcome =>
  settlement.outcome === 'stale' && result.kind !== 'released' ? 'stale' : result.kind
