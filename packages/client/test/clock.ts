/** A clock for tests: waits cost nothing, move it, and are written down. */
export const testClock = (startMs = Date.UTC(2026, 0, 1)) => {
  const sleeps: number[] = []
  let nowMs = startMs
  return {
    sleeps,
    now: () => nowMs,
    sleep: async (ms: number) => {
      sleeps.push(ms)
      nowMs += ms
    },
  }
}
