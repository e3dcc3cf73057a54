import type { Clock } from '../values/clock.ts'

/** Lets jobs begin one after the other, a few at a time. */
export type Pacer = {
  /** How many may begin now. */
  room(): number
  /** Says that so many begin. */
  begin(count: number): void
}

/** How a pacer measures out. */
export type PacerOptions = {
  readonly atOnce: number
  /** How long each keeps the next ones back, in milliseconds. */
  readonly msEach: number
  readonly clock: Clock
  /** Called when more may begin. */
  onRoom(): void
}

/** Creates a pacer. */
export const createPacer = ({ atOnce, msEach, clock, onRoom }: PacerOptions): Pacer => {
  let isPausing = false
  let dueAt = 0
  return {
    room: () => (isPausing ? 0 : atOnce),
    begin: (count) => {
      if (count === 0) return
      isPausing = true
      const now = clock.now()
      // Makes up for a late timer and the time of a claim, but not for a time with nothing to begin, or a moved clock.
      dueAt = Math.min(Math.max(dueAt, now - atOnce * msEach), now) + count * msEach
      setTimeout(
        () => {
          isPausing = false
          onRoom()
        },
        Math.max(0, dueAt - now),
      )
    },
  }
}
