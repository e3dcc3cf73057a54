import { longestTimerMs } from '@wabakit/wire'

/**
 * Rounds up and limits a time that a database stores, in milliseconds. Databases have no number for `Infinity`, and
 * their dates end.
 */
export const toStoredMs = (ms: number): number => Math.min(Math.ceil(ms), 1e14)

/** Waits at most `ms` milliseconds, and at most 24 days, for work. After that, calls `expire` and returns its result. */
export const waitAtMost = async <Result, Late = undefined>(
  ms: number,
  work: () => Result | Promise<Result>,
  expire = (): Late => undefined as Late,
): Promise<Awaited<Result> | Late> => {
  let timer: ReturnType<typeof setTimeout> | undefined
  const expired = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, Math.min(ms, longestTimerMs))
  })
  try {
    return await Promise.race([work(), expired.then(expire)])
  } finally {
    clearTimeout(timer)
  }
}

/**
 * Waits at most `ms` milliseconds for the application's code, such as a dedupe store.
 *
 * @throws Error after that. The message begins with `name`.
 */
export const failAfter = <Result>(
  ms: number,
  name: string,
  work: () => Result | Promise<Result>,
): Promise<Awaited<Result>> =>
  waitAtMost(ms, work, (): never => {
    throw new Error(`${name} did not respond within ${ms} ms.`)
  })
