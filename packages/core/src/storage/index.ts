// Building blocks for a store: settlement decisions, figures, the workers of one process, and the changes for their schedulers

export { addCounts, type Counts, type GrowingCounts } from '../figures/counts.ts'
export { findPeriod, longestSpanMs, planRollUps, type RollUp } from '../figures/roll-up.ts'
export { type ChangeChannel, createChangeChannel } from './change-channel.ts'
export { operatorId } from './decide-health.ts'
export {
  type BeforeSettlement,
  type DecidedSettlement,
  decideSettlement,
  type LaneState,
  type SettledDelivery,
} from './decide-settlement.ts'
export { createWorkers, type Workers } from './workers.ts'

/**
 * Maximum size of the payloads that one page of a text search examines, unless the first is larger. It blocks the event
 * loop for about 10 ms.
 */
export const maxSearchedBytes = 4 * 1024 * 1024
