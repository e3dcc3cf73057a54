// Building blocks for a store: decisions, figures, pages, change notifications, and in-process workers

export { addCounts, type Counts } from '../figures/counts.ts'
export { findPeriod, longestSpanMs, planRollUps, type RollUp } from '../figures/roll-up.ts'
export type { RecordQuery } from '../store-requests.ts'
export { behindAfterMs } from './behind.ts'
export { createChangeChannel } from './change-channel.ts'
export { formatTimeKey, parsePosition, parsePositions, parseTimeKey } from './cursors.ts'
export { decideGroupCreation } from './decide-group-creation.ts'
export { decideSavedHealth, operatorId } from './decide-health.ts'
export {
  type DecidedSettlement,
  decideSettlement,
  type LaneState,
  type SettledDelivery,
  toSettledRecord,
} from './decide-settlement.ts'
export { type PageRows, toPage } from './page.ts'
export { newProgress, pickProgress, progressFields, restartedFields } from './progress.ts'
export { excludesDelivered, selectsFailed } from './selected-statuses.ts'
export { createWorkers, type Workers } from './workers.ts'

/**
 * Maximum size of the payloads that one page of a text search examines, unless the first is larger. The memory store
 * counts code units instead of bytes. Such a page blocks the event loop for about 10 ms.
 */
export const maxSearchedBytes = 4 * 1024 * 1024
