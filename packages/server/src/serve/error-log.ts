import type { Logger } from 'pino'

/** Minimum time between two log lines about the same error, except at the end, in milliseconds. */
const repeatMs = 60_000

const getCause = (error: unknown): string =>
  error instanceof Error && error.cause instanceof Error ? getCause(error.cause) : String(error)

/** Creates a log that writes a repeated error, such as a lost database, at most once per minute, and counts the repetitions. */
export const createErrorLog = (log: Pick<Logger, 'error'>) => {
  const repeated = new Map<string, { count: number; readonly timer: NodeJS.Timeout }>()

  const logCount = (cause: string, count: number): void =>
    log.error({ cause, count }, 'the error was repeated')

  const startMinute = (cause: string): void => {
    const timer = setTimeout(() => {
      const count = repeated.get(cause)?.count ?? 0
      repeated.delete(cause)
      if (count === 0) return
      logCount(cause, count)
      startMinute(cause)
    }, repeatMs).unref()
    repeated.set(cause, { count: 0, timer })
  }

  return {
    /** Logs an error, or counts it if the same error was logged within the last minute. */
    write: (error: unknown): void => {
      const cause = getCause(error)
      const known = repeated.get(cause)
      if (known !== undefined) {
        known.count += 1
        return
      }
      log.error({ err: error }, 'error')
      startMinute(cause)
    },
    /** Logs the counts so far, and ends the timers. */
    close: (): void => {
      for (const [cause, { count, timer }] of repeated) {
        clearTimeout(timer)
        if (count > 0) logCount(cause, count)
      }
      repeated.clear()
    },
  }
}
