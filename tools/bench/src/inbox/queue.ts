import { randomUUID } from 'node:crypto'
import { payload } from '../call-ai-summary.ts'

/** Maximum number of events that are stored or handled concurrently. */
export const concurrency = 64

export const body = String(payload)

export const nextEvent = () => ({
  id: `msg_${randomUUID()}`,
  body: body.replaceAll(/"callId":"[^"]*"/g, `"callId":"${randomUUID()}"`),
})

export type Event = ReturnType<typeof nextEvent>

/** An inbox that stores and handles events. */
export type Queue = {
  /** Stores an event durably. */
  readonly store: (event: Event) => Promise<unknown>
  /** Handles all stored events, and calls `handled` for each. `count` is their number; with NaN, a peer deletes them. */
  readonly handleAll: (handled: () => void, count: number) => Promise<unknown>
}
