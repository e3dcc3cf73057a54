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
  /** Called when more may begin. */
  onRoom(): void
}

/** Creates a pacer. */
export const createPacer = ({ atOnce, msEach, onRoom }: PacerOptions): Pacer => {
  let isPausing = false
  return {
    room: () => (isPausing ? 0 : atOnce),
    begin: (count) => {
      if (count === 0) return
      isPausing = true
      setTimeout(() => {
        isPausing = false
        onRoom()
      }, count * msEach)
    },
  }
}
