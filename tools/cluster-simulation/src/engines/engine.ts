import type { Clock, Store } from '@wabakit/core'
import type { Owner } from '../virtual/event-loop.ts'

/** A server that opens a store. It has its own clocks. */
export type StoreUser = {
  readonly name: string
  readonly owner: Owner
  /** Returns the time of the wall clock, which may be wrong. */
  readonly wall: () => number
  readonly elapsed: () => number
}

/** The storage of a cluster. It outlives the processes. */
export type SimulatedEngine = {
  open(user: StoreUser): { readonly store: Store; readonly clock: Required<Clock> }
  /** Closes the connections of a process that has died. */
  abandon(user: StoreUser): void
  /** Ends the session of a worker whose process keeps running. Returns a function that starts a new session. */
  endSession?(server: string): () => void
  setRenewable?(server: string, canRenew: boolean): void
  setAvailable(isAvailable: boolean): void
  /** The committed data, for invariants. */
  readonly committed: Store
}
