import { InputError } from '../errors/operation-errors.ts'
import type { CallData } from './call-data.ts'
import type { CallSimulation, SimulatedCall } from './call-simulation.ts'
import { type SimulationContext, simulateCall } from './simulate-call.ts'

type CallSimulatorOptions = Pick<SimulationContext, 'server' | 'observedEvents' | 'onObserved'> & {
  /** Set if the host may publish the events that the specification does not have. */
  readonly allowsObserved: boolean
  /** Generates the data of the next call of an organization. */
  readonly createCallData: (organizationId: string) => CallData
  /** Returns the time of the service, as Unix time in milliseconds. */
  readonly now: () => number
  /** Runs a task when it is due. Returns a function that cancels it. */
  readonly schedule: (task: DueTask) => () => void
}

/** A task of the future. `description` completes the sentence "… is due in 30 s". */
type DueTask = {
  readonly delayMs: number
  readonly description: string
  readonly run: () => Promise<unknown>
}

/**
 * Refuses events that the specification does not have, which no customer's endpoint may get from a server in
 * production.
 */
const checkObserved = ({ observedEvents = false, notPicked = 0 }: CallSimulation): void => {
  const path = observedEvents ? 'observedEvents' : notPicked > 0 ? 'notPicked' : undefined
  if (path === undefined) return
  const message = 'publishes events that only live services send. Start the server with --sandbox'
  throw new InputError([{ path, message }])
}

/** Creates the simulator of a host, which knows the summaries that are still due. */
export const createCallSimulator = (options: CallSimulatorOptions) => {
  const { server, observedEvents, onObserved, allowsObserved, createCallData, now } = options
  const due = new Map<string, { readonly at: number; readonly cancel: () => void }>()
  const toKey = (organizationId: string, callId: string): string => JSON.stringify([organizationId, callId])
  let isClosed = false
  return {
    /** Simulates a call. If its summary is delayed, it is saved when it is due. */
    simulateCall: async (organizationId: string, call: CallSimulation = {}): Promise<SimulatedCall> => {
      if (!allowsObserved) checkObserved(call)
      let delayed: DueTask | undefined
      const schedule: SimulationContext['schedule'] = (delayMs, run, description) => {
        delayed = { delayMs, run, description }
      }
      const data = createCallData(organizationId)
      const context = { server, organizationId, data, now, observedEvents, onObserved, schedule }
      const simulated = await simulateCall(context, call)
      if (delayed === undefined || isClosed) return simulated
      const { run, ...task } = delayed
      const key = toKey(organizationId, simulated.callId)
      const cancel = options.schedule({
        ...task,
        run: () => {
          due.delete(key)
          return run()
        },
      })
      due.set(key, { at: now() + task.delayMs, cancel })
      return simulated
    },
    /** Returns the due time of a delayed summary, as Unix time in milliseconds; `undefined` if none is scheduled. */
    findDueSummary: (organizationId: string, callId: string): number | undefined =>
      due.get(toKey(organizationId, callId))?.at,
    /** Cancels the delayed summaries, and schedules no others. */
    close: (): void => {
      isClosed = true
      for (const { cancel } of due.values()) cancel()
      due.clear()
    },
  }
}

export type CallSimulator = ReturnType<typeof createCallSimulator>
