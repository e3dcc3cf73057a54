/** Limits how many jobs start at once. */
export type Pacer = {
  /** Returns the number of jobs that may start now. */
  countAllowed(): number
  /** Counts jobs that start. */
  count(started: number): void
}

export type PacerOptions = {
  /** Maximum number of jobs that start together. */
  readonly burst: number
  /** Pause after each job, in milliseconds. */
  readonly pauseMs: number
  /** Called when more jobs may start. */
  onAllowed(): void
}

export const createPacer = ({ burst, pauseMs, onAllowed }: PacerOptions): Pacer => {
  let isPausing = false
  return {
    countAllowed: () => (isPausing ? 0 : burst),
    count: (started) => {
      if (started === 0) return
      isPausing = true
      setTimeout(() => {
        isPausing = false
        onAllowed()
      }, started * pauseMs)
    },
  }
}
