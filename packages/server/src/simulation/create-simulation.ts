import type { ReferenceServer } from '@wabakit/core'
import {
  type CallSimulation,
  createCallData,
  createSeededRandom,
  type SimulatedCall,
  simulateCall,
} from '@wabakit/core/simulation'

/** Simulates calls in real time. */
export type Simulation = {
  /** Plays a call. A later summary is saved by a timer. */
  playCall(organizationId: string, call: CallSimulation): Promise<SimulatedCall>
  /** Cancels the summaries that are still to come. */
  close(): void
}

type SimulationOptions = {
  readonly service: ReferenceServer
  /** Receives the error when a later summary cannot be saved. */
  readonly onError: (error: unknown) => void
}

export const createSimulation = ({ service, onError }: SimulationOptions): Simulation => {
  const timers = new Set<NodeJS.Timeout>()
  let calls = 0
  const schedule = (afterMs: number, task: () => Promise<unknown>): void => {
    const timer = setTimeout(() => {
      timers.delete(timer)
      task().catch(onError)
    }, afterMs)
    timers.add(timer)
  }
  return {
    playCall: (organizationId, call) => {
      const data = createCallData(createSeededRandom(organizationId, 'call', calls++))
      return simulateCall({ server: service, organizationId, data, schedule }, call)
    },
    close: () => {
      for (const timer of timers) clearTimeout(timer)
      timers.clear()
    },
  }
}
