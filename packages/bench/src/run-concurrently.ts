/** Options for {@link runConcurrently}. */
export type ConcurrentOptions = {
  readonly times: number
  /** Maximum number of concurrent runs. */
  readonly concurrency: number
}

/** Runs a task `times` times, with bounded concurrency. */
export const runConcurrently = async (
  { times, concurrency }: ConcurrentOptions,
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
