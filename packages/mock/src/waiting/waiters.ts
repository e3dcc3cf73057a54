import { MockTimeoutError, MockUsageError } from '../errors.ts'
import { afterRealTime } from '../time/timers.ts'

/** A caller's pending wait. */
type Wait<Found> = {
  /** The function that the user called, for messages. */
  readonly caller: string
  /** What the wait is for: `CALL_ENDED {"callId":"call_1"}`. */
  readonly label: string
  readonly timeoutMs: number
  find(): Found | undefined
  /** Creates the message for a timeout. */
  explain(): Promise<string>
  /** Lists the reasons why the wait has not ended, one a line. */
  listReasons(): Promise<readonly string[]>
}

type Waiter = Pick<Wait<unknown>, 'caller' | 'label' | 'listReasons'> & {
  check(): void
  reject(reason: string): void
}

export const createWaiters = () => {
  const waiters = new Set<Waiter>()
  return {
    wait: async <Found>(wait: Wait<Found>): Promise<Found> => {
      const { caller, timeoutMs, find, explain } = wait
      const found = find()
      if (found !== undefined) return found
      const { promise, resolve, reject } = Promise.withResolvers<Found>()
      const waiter: Waiter = {
        ...wait,
        check: () => {
          try {
            const now = find()
            if (now !== undefined) resolve(now)
          } catch (error) {
            reject(error)
          }
        },
        reject: (reason) => reject(new MockUsageError(`${caller}: ${reason}`)),
      }
      waiters.add(waiter)
      const cancelTimer = afterRealTime(timeoutMs, () => {
        waiters.delete(waiter)
        explain().then((message) => reject(new MockTimeoutError(message)), reject)
      })
      return promise.finally(() => {
        waiters.delete(waiter)
        cancelTimer()
      })
    },
    check: (): void => {
      for (const waiter of [...waiters]) waiter.check()
    },
    list: () =>
      Promise.all(
        Array.from(waiters, async ({ caller, label, listReasons }) => ({
          wait: `${caller} ${label}`,
          reasons: await listReasons(),
        })),
      ),
    rejectAll: (reason: string): void => {
      for (const waiter of [...waiters]) waiter.reject(reason)
    },
  }
}

export type Waiters = ReturnType<typeof createWaiters>
