import type { Clock, Store } from '@wabakit/core'
import type { Owner } from '../virtual/scheduler.ts'

/** A server that opens a store: its name, its life, and its own clocks. */
export type StoreUser = {
  readonly name: string
  readonly owner: Owner
  /** The time of day, which may be wrong. */
  readonly wall: () => number
  readonly elapsed: () => number
}

/** A store as a server has it open, and the clock that belongs to it. */
export type OpenStore = { readonly store: Store; readonly clock: Required<Clock> }

/** The storage of a cluster. It outlives the processes. */
export type Engine = {
  open(user: StoreUser): OpenStore
  /** Called when a process has died: its connections are gone. */
  abandon(user: StoreUser): void
  /** Ends the session by which a worker is registered, while its process continues. Returns what begins another one. */
  endSession?(server: string): () => void
  /** Decides whether a worker can renew its lease. Everything else goes on. */
  setRenewable?(server: string, canRenew: boolean): void
  /** Decides whether the store can be reached. */
  setAvailable(isAvailable: boolean): void
  /** Reads what is committed. Only for invariants. */
  readonly committed: Store
}
