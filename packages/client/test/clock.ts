/** Creates a clock that records waits and advances at once instead of taking real time. */
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
