import { InputError, type ReferenceServer } from '@wabakit/core'
import {
  type CallSimulation,
  createCallData,
  createSeededRandom,
  type SimulatedCall,
  simulateCall,
} from '@wabakit/core/simulation'

type SimulationOptions = {
  /** Seed for generated data. @default the same data for every server */
  readonly seed?: number | undefined
  /** Set if, by default, unanswered calls end with the events of live services. */
  readonly observedEvents?: boolean | undefined
  /** Set if the server may publish the events that only live services send. */
  readonly allowsObserved: boolean
  /** Returns the time of the service, as Unix time in milliseconds. */
  readonly now: () => number
  /** Receives the error if a delayed summary cannot be saved. */
  readonly onError: (error: unknown) => void
}

/** The specification does not have these events, so that no customer's endpoint gets one from a server that is in use. */
const checkObserved = ({ observedEvents = false, notPicked = 0 }: CallSimulation): void => {
  const path = observedEvents ? 'observedEvents' : notPicked > 0 ? 'notPicked' : undefined
  if (path === undefined) return
  const message = 'publishes events that only live services send. Start the server with --mock'
  throw new InputError([{ path, message }])
}

export const createSimulation = (
  service: ReferenceServer,
  { seed, observedEvents, allowsObserved, now, onError }: SimulationOptions,
) => {
  const due = new Map<string, { readonly at: number; readonly timer: NodeJS.Timeout }>()
  const toKey = (organizationId: string, callId: string): string => JSON.stringify([organizationId, callId])
  let calls = 0
  let isClosed = false
  return {
    /** Simulates a call. If its summary is delayed, a timer saves it. */
    simulateCall: async (organizationId: string, call: CallSimulation): Promise<SimulatedCall> => {
      if (!allowsObserved) checkObserved(call)
      const data = createCallData(
        createSeededRandom(...(seed === undefined ? [] : [seed]), organizationId, 'call', calls++),
      )
      let delayed: { readonly delayMs: number; readonly save: () => Promise<unknown> } | undefined
      const schedule = (delayMs: number, save: () => Promise<unknown>): void => {
        delayed = { delayMs, save }
      }
      const context = { server: service, organizationId, data, observedEvents, schedule }
      const simulated = await simulateCall(context, call)
      if (delayed === undefined || isClosed) return simulated
      const { delayMs, save } = delayed
      const key = toKey(organizationId, simulated.callId)
      const timer = setTimeout(() => {
        due.delete(key)
        save().catch(onError)
      }, delayMs)
      due.set(key, { at: now() + delayMs, timer })
      return simulated
    },
    /** Returns the due time of a delayed summary, as Unix time in milliseconds; `undefined` if none is scheduled. */
    findDueSummary: (organizationId: string, callId: string): number | undefined =>
      due.get(toKey(organizationId, callId))?.at,
    /** Cancels the delayed summaries, and schedules no others. */
    close: (): void => {
      isClosed = true
      for (const { timer } of due.values()) clearTimeout(timer)
      due.clear()
    },
  }
}
