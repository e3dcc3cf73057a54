import type { ReferenceServer } from '@wabakit/core'
import type { Account } from '../data/account.ts'
import type { CallData } from '../data/call-data.ts'
import type { Timekeeper } from '../time/timekeeper.ts'

/** What scenarios work with. */
export type ScenarioContext = {
  readonly account: Account
  readonly server: ReferenceServer
  readonly time: Timekeeper
  readonly isAutomatic: boolean
  /** What is made up for the next call. */
  nextCallData(): CallData
  /** Sends an event that no rule of the server made. */
  publish(payload: object, channel: 'PSTN' | 'WHATSAPP'): Promise<void>
}
