import type { Logger } from 'pino'

/** Minimum time between two log lines about the same error, in milliseconds. */
const repeatMs = 60_000

const getCause = (error: unknown): string =>
  error instanceof Error && error.cause instanceof Error ? getCause(error.cause) : String(error)

/** Creates a log in which a repeated error, such as a lost database, takes one line per minute, with a count. */
export const createErrorLog = (log: Pick<Logger, 'error'>) => {
  const counts = new Map<string, number>()
  const timers = new Set<NodeJS.Timeout>()

  const logCount = (cause: string, count: number): void =>
    log.error({ cause, count }, 'the error was repeated')

  const startMinute = (cause: string): void => {
    counts.set(cause, 0)
    const timer = setTimeout(() => {
      timers.delete(timer)
      const count = counts.get(cause) ?? 0
      counts.delete(cause)
      if (count === 0) return
      logCount(cause, count)
      startMinute(cause)
    }, repeatMs).unref()
    timers.add(timer)
  }

  return {
    /** Logs an error, or counts it if the same error was logged within the last minute. */
    write: (error: unknown): void => {
      const cause = getCause(error)
      const count = counts.get(cause)
      if (count !== undefined) {
        counts.set(cause, count + 1)
        return
      }
      log.error({ err: error }, 'error')
      startMinute(cause)
    },
    /** Logs the counts so far. */
    close: (): void => {
      for (const timer of timers) clearTimeout(timer)
      for (const [cause, count] of counts) if (count > 0) logCount(cause, count)
      counts.clear()
    },
  }
}
