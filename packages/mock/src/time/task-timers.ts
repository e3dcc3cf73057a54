import type { Dispatcher, Store } from '@wabakit/core'

/** Work that is due at some time on the mock's clock. */
export type ScheduledTask = {
  /** Unix time in milliseconds. */
  readonly at: number
  /** Names what is due, such as `the delayed CALL_ENDED`. */
  readonly description: string
  readonly run: () => Promise<unknown>
}

/** The part of a server that delivers webhooks, and reports when the next one is due. */
export type DeliveryWorker = {
  readonly dispatcher: Pick<Dispatcher, 'runDue' | 'nextDueAt' | 'start' | 'stop'>
  readonly store: Pick<Store, 'listen'>
  /** Called before virtual time moves. */
  readonly onLeave?: () => void
}

/** The timers of a tenant, which run tasks and deliver webhooks when they are due. */
export type TaskTimers = {
  /** Set if time moves only on request. */
  readonly isVirtual: boolean
  now(): number
  schedule(task: ScheduledTask): void
  /** Tasks that have not started yet, earliest first. */
  listTasks(): readonly ScheduledTask[]
  /** Moves time forward, and waits for all work that becomes due. Rejects if time cannot be moved. */
  advance(ms: number): Promise<void>
  /** Moves time forward without waiting for deliveries, or waits if time cannot be moved. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>
  start(worker: DeliveryWorker): void
  /** Stops the timers. Resolves when no delivery is under way. */
  stop(): Promise<void>
}
