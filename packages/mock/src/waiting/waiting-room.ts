import { MockUsageError } from '../errors/mock-usage-error.ts'
import { afterRealTime } from '../time/real-timers.ts'

/** What somebody waits for. */
export type Wait<Found> = {
  /** The operation, as users call it. */
  readonly what: string
  readonly timeoutMs: number
  /** What is waited for, once it is there. */
  find(): Found | undefined
  /** The error when it did not come in time. */
  explain(): Promise<Error>
}

/** Where everybody waits. */
export type WaitingRoom = {
  wait<Found>(wait: Wait<Found>): Promise<Found>
  /** Looks for everybody whether it is there now. */
  look(): void
  /** Sends everybody home. */
  dismiss(reason: string): void
  /** Like `dismiss`, and lets nobody in any more. */
  close(): void
}

type Visitor = { look(): void; dismiss(reason: string): void }

/** Makes an empty room. */
export const createWaitingRoom = (): WaitingRoom => {
  const visitors = new Set<Visitor>()
  let isClosed = false
  const dismiss = (reason: string): void => {
    for (const visitor of [...visitors]) visitor.dismiss(reason)
  }
  return {
    wait: ({ what, timeoutMs, find, explain }) =>
      new Promise((resolve, reject) => {
        if (isClosed) {
          reject(
            new MockUsageError(`${what}: this mock is closed. Close it after the last test that needs it.`),
          )
          return
        }
        const found = find()
        if (found !== undefined) {
          resolve(found)
          return
        }
        const leave = (): void => {
          visitors.delete(visitor)
          stopTimer()
        }
        const visitor: Visitor = {
          look: () => {
            const now = find()
            if (now === undefined) return
            leave()
            resolve(now)
          },
          dismiss: (reason) => {
            leave()
            reject(new MockUsageError(`${what}: ${reason}`))
          },
        }
        const stopTimer = afterRealTime(timeoutMs, () => {
          leave()
          explain().then(reject, reject)
        })
        visitors.add(visitor)
      }),
    look: () => {
      for (const visitor of [...visitors]) visitor.look()
    },
    dismiss,
    close: () => {
      isClosed = true
      dismiss('the mock was closed meanwhile.')
    },
  }
}
