import type { AttemptReported } from '@wabakit/core'

/** What an attempt meant for its delivery, or `stale` when another worker had taken it over, or it has changed. */
export type AttemptOutcome = AttemptReported['result']['kind'] | 'stale'

export const getAttemptOutcome = ({ result, settlement }: AttemptReported): AttemptOutcome =>
  settlement.outcome === 'stale' && result.kind !== 'released' ? 'stale' : result.kind
