// Building blocks for a store: what a settlement changes, and telling the schedulers of this process

export {
  type BeforeSettlement,
  type DecidedSettlement,
  decideSettlement,
  type LaneState,
  type SettledDelivery,
} from './decide-settlement.ts'
export { createNewsChannel, type NewsChannel } from './news-channel.ts'
