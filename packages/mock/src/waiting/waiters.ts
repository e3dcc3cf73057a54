import { MockUsageError } from '../errors.ts'
import { afterRealTime } from '../time/timers.ts'

/** A caller's pending wait. */
export type Wait<Found> = {
  /** The function that the user called, for messages. */
  readonly caller: string
  readonly timeoutMs: number
  find(): Found | undefined
  /** Creates the error for a timeout. */
  explain(): Promise<Error>
}

/** All pending waits. */
export type Waiters = {
  wait<Found>(wait: Wait<Found>): Promise<Found>
  check(): void
  rejectAll(reason: string): void
}

type Waiter = { check(): void; reject(reason: string): void }

export const createWaiters = (): Waiters => {
  const waiters = new Set<Waiter>()
  return {
    wait: ({ caller, timeoutMs, find, explain }) =>
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
          explain().then(reject, reject)
        })
        waiters.add(waiter)
      }),
    check: () => {
      for (const waiter of [...waiters]) waiter.check()
    },
    rejectAll: (reason) => {
      for (const waiter of [...waiters]) waiter.reject(reason)
    },
  }
}
