import type { HistoryEntry } from '../histories/history.ts'
import type { Observation } from '../observations.ts'
import type { Plan } from '../plan.ts'
import type { Draws } from '../virtual/random.ts'
import type { Scheduler } from '../virtual/scheduler.ts'
import type { CallFaults } from './call-faults.ts'

/** The parts of a run that its whole cluster shares. */
export type RunContext = {
  readonly plan: Plan
  readonly draws: Draws
  readonly scheduler: Scheduler
  readonly faults: CallFaults
  /** The invariants see everything that is observed, at once. */
  observe(observation: Observation): void
  /** Receives what stores executed, if a history is wanted. */
  readonly record: ((entry: HistoryEntry) => void) | undefined
  /** Returns how long something is under way, in milliseconds: at most the maximum times the latency of the plan. */
  travel(label: string, maximumMs: number): number
  /** The store, or a server's way to it, is in trouble for a while. */
  noteTrouble(forMs: number): void
  /** Adds a line to the story. */
  note(text: string): void
  /** Kills a server by its name, as a fault of one of its calls. It comes back after a while. */
  kill(server: string): void
  /** Pauses a server for a while, as a fault of one of its calls. */
  pause(server: string): void
}

/** The moment at which runs begin, as Unix time in milliseconds. */
export const startTime = Date.UTC(2026, 0, 1)

/** Returns the true time, as Unix time in milliseconds. */
export const getTrueTime = ({ scheduler }: Pick<RunContext, 'scheduler'>): number =>
  startTime + scheduler.now()
