import type { AttemptReported } from '@wabakit/core'

/** What an attempt meant for its delivery, or `stale` when another worker had claimed the delivery meanwhile. */
export type AttemptOutcome = AttemptReported['result']['kind'] | 'stale'

export const getAttemptOutcome = ({ result, settlement }: AttemptReported): AttemptOutcome =>
  settlement.outcome === 'stale' ? 'stale' : result.kind
