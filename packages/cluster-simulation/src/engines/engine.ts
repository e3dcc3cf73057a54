import type { Clock, Store } from '@wabakit/core'
import type { Owner } from '../virtual/scheduler.ts'

/** A server that opens a store: its name, the owner of its tasks, and its own clocks. */
export type StoreUser = {
  readonly name: string
  readonly owner: Owner
  /** Returns the time of day, which may be wrong. */
  readonly wall: () => number
  readonly elapsed: () => number
}

/** A cluster's storage, which outlives the processes. */
export type Engine = {
  open(user: StoreUser): { readonly store: Store; readonly clock: Required<Clock> }
  /** Called when a process dies, to close its connections. */
  abandon(user: StoreUser): void
  /** Ends a worker's session while its process continues. Returns a function that starts a new session. */
  endSession?(server: string): () => void
  /** Sets whether a worker can renew its lease. */
  setRenewable?(server: string, canRenew: boolean): void
  /** Sets whether the store can be reached. */
  setAvailable(isAvailable: boolean): void
  /** Reads committed data, for invariants only. */
  readonly committed: Store
}
