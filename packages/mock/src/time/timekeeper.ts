import type { Dispatcher, Store } from '@wabakit/core'
import type { Appointment } from './agenda.ts'

/** What sends deliveries, and what says that there are some. */
export type Sending = {
  readonly dispatcher: Pick<Dispatcher, 'runDue' | 'nextDueAt' | 'start' | 'stop'>
  readonly store: Pick<Store, 'onDue'>
}

/** Time of a tenant: it tells it, keeps appointments, and has deliveries sent when they are due. */
export type Timekeeper = {
  now(): number
  schedule(appointment: Appointment): void
  /** What is to come, earliest first. */
  upcoming(): readonly Appointment[]
  /** Moves forward by milliseconds and waits for all that falls due. */
  advance(ms: number): Promise<void>
  /** Lets milliseconds pass without waiting for deliveries. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>
  /** Sends what is due, from now on by itself. */
  start(sending: Sending): void
  /** Does nothing any more; resolves when nothing is underway. */
  stop(): Promise<void>
}
