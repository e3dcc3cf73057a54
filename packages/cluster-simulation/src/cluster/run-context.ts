import type { HistoryEntry } from '../histories/history.ts'
import type { Observation } from '../observations.ts'
import type { Plan } from '../plan.ts'
import type { Draws } from '../virtual/random.ts'
import type { Scheduler } from '../virtual/scheduler.ts'
import type { CallFaults } from './call-faults.ts'

/** The parts of a run that the whole cluster shares. */
export type RunContext = {
  readonly plan: Plan
  readonly draws: Draws
  readonly scheduler: Scheduler
  readonly faults: CallFaults
  /** Returns the true time, as Unix time in milliseconds. */
  now(): number
  /** Passes an observation to the invariants immediately. */
  observe(observation: Observation): void
  /** Receives the calls that stores executed, if the run records a history. */
  readonly record: ((entry: HistoryEntry) => void) | undefined
  /** Draws the travel time of a message or call, in milliseconds: at most `maximumMs` × the plan's latency. */
  travel(label: string, maximumMs: number): number
  /** Adds a line to the story. */
  note(text: string): void
  /** Kills a server during one of its calls. It restarts later. */
  kill(server: string): void
  /** Pauses a server during one of its calls. */
  pause(server: string): void
}

/** Start time of every run, as Unix time in milliseconds. */
export const startTime = Date.UTC(2026, 0, 1)
