// Building blocks for a store: settlement decisions, the workers of one process, and the news for their schedulers

export { operatorId } from './decide-health.ts'
export {
  type BeforeSettlement,
  type DecidedSettlement,
  decideSettlement,
  type LaneState,
  type SettledDelivery,
} from './decide-settlement.ts'
export { maxSearchedBytes } from './max-searched-bytes.ts'
export { createNewsChannel, type NewsChannel } from './news-channel.ts'
export { createWorkers, type Workers } from './workers.ts'
