export type ConcurrentOptions = {
  readonly times: number
  readonly concurrency: number
}

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
