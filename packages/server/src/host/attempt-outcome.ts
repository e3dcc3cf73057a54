import type { AttemptReported } from '@wabakit/core'

/** What became of an attempt: what it meant for the delivery, or `stale` when another worker had taken it over. */
export type AttemptOutcome = AttemptReported['result']['kind'] | 'stale'

/** What became of an attempt. */
export const attemptOutcome = ({ result, settlement }: AttemptReported): AttemptOutcome =>
  settlement.outcome === 'stale' ? 'stale' : result.kind
