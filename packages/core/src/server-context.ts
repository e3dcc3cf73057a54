import type { EventLog } from './events/event-log.ts'
import type { Store } from './store.ts'
import type { Clock } from './values/clock.ts'
import type { Ids, Random } from './values/ids.ts'

/** The parts of a server that its operations share. */
export type ServerContext = {
  readonly store: Store
  readonly clock: Clock
  readonly random: Random
  readonly ids: Ids
  readonly log: EventLog
}
