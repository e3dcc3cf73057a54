/** Creates a clock whose waits take no real time, move it, and are recorded. */
export const createTestClock = (startMs = Date.UTC(2026, 0, 1)) => {
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
