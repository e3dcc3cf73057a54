import { MockTimeoutError, MockUsageError } from '../errors.ts'
import { afterRealTime } from '../time/timers.ts'

/** A caller's pending wait. */
type Wait<Found> = {
  /** The function that the user called, for messages. */
  readonly caller: string
  readonly timeoutMs: number
  find(): Found | undefined
  /** Creates the message for a timeout. */
  explain(): Promise<string>
}

type Waiter = { check(): void; reject(reason: string): void }

export const createWaiters = () => {
  const waiters = new Set<Waiter>()
  return {
    wait: <Found>({ caller, timeoutMs, find, explain }: Wait<Found>): Promise<Found> =>
      new Promise((resolve, reject) => {
        const found = find()
        if (found !== undefined) {
          resolve(found)
          return
        }
        const end = (): void => {
          waiters.delete(waiter)
          cancelTimer()
        }
        const waiter: Waiter = {
          check: () => {
            const now = find()
            if (now === undefined) return
            end()
            resolve(now)
          },
          reject: (reason) => {
            end()
            reject(new MockUsageError(`${caller}: ${reason}`))
          },
        }
        const cancelTimer = afterRealTime(timeoutMs, () => {
          end()
          explain().then((message) => reject(new MockTimeoutError(message)), reject)
        })
        waiters.add(waiter)
      }),
    check: (): void => {
      for (const waiter of [...waiters]) waiter.check()
    },
    rejectAll: (reason: string): void => {
      for (const waiter of [...waiters]) waiter.reject(reason)
    },
  }
}

export type Waiters = ReturnType<typeof createWaiters>
