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
  /** Simulates a call. A timer saves its summary if the summary is delayed. */
  simulateCall(organizationId: string, call: CallSimulation): Promise<SimulatedCall>
  /** Cancels the delayed summaries. */
  close(): void
}

/** @param onError - receives the error when a delayed summary cannot be saved. */
export const createSimulation = (service: ReferenceServer, onError: (error: unknown) => void): Simulation => {
  const timers = new Set<NodeJS.Timeout>()
  let calls = 0
  const schedule = (delayMs: number, task: () => Promise<unknown>): void => {
    const timer = setTimeout(() => {
      timers.delete(timer)
      task().catch(onError)
    }, delayMs)
    timers.add(timer)
  }
  return {
    simulateCall: (organizationId, call) => {
      const data = createCallData(createSeededRandom(organizationId, 'call', calls++))
      return simulateCall({ server: service, organizationId, data, schedule }, call)
    },
    close: () => {
      for (const timer of timers) clearTimeout(timer)
      timers.clear()
    },
  }
}
