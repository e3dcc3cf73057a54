import type { ReferenceServer } from '@wabakit/core'
import type { CallData } from '@wabakit/core/simulation'
import type { Account } from '../data/account.ts'
import type { Scheduler } from '../time/scheduler.ts'

/** The parts of a mock that simulations use. */
export type SimulationContext = {
  readonly account: Account
  readonly server: ReferenceServer
  readonly scheduler: Scheduler
  /** Makes up data for the next call. */
  createCallData(): CallData
  /** Publishes an event that the server itself would not publish. */
  publish(payload: object, channel: 'PSTN' | 'WHATSAPP'): Promise<void>
}
