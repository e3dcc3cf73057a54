import type { HistoryEntry } from '../histories/history.ts'
import type { Observation } from '../observations.ts'
import type { Plan } from '../plan.ts'
import type { EventLoop } from '../virtual/event-loop.ts'
import type { Draws } from '../virtual/random.ts'
import type { CallFaults } from './call-faults.ts'

/** The parts of a run that all components of the cluster use. */
export type RunContext = {
  readonly plan: Plan
  readonly draws: Draws
  readonly loop: EventLoop
  readonly faults: CallFaults
  /** Returns the true time, as Unix time in milliseconds. */
  now(): number
  observe(observation: Observation): void
  /** Records a call that a store has executed. Set if the run records a history. */
  readonly record: ((entry: HistoryEntry) => void) | undefined
  /** Draws the travel time of a message or call, at most `maximumMs` milliseconds times the latency of the plan. */
  travel(label: string, maximumMs: number): number
  /** Adds a line to the reproduction. */
  note(text: string): void
  /** Kills a server, and schedules its restart. */
  kill(server: string): void
  /** Pauses a server, and schedules when it resumes. */
  pause(server: string): void
}
