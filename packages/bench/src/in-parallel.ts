/** Options of {@link inParallel}. */
export type ParallelOptions = {
  readonly times: number
  /** Most that run at the same time. */
  readonly concurrency: number
}

/** Runs a task many times. */
export const inParallel = async (
  { times, concurrency }: ParallelOptions,
  task: () => Promise<unknown>,
): Promise<void> => {
  let left = times
  const run = async (): Promise<void> => {
    while (left > 0) {
      left -= 1
      await task()
    }
  }
  await Promise.all(Array.from({ length: concurrency }, run))
}
