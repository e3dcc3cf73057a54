import { isError } from '@wabakit/wire'
import { startBackgroundTimer } from '../values/clock.ts'
import type { StopSignal } from './stop-signal.ts'

/** The error codes of system calls that fail because the process or its machine is out of descriptors or memory. */
const codes: ReadonlySet<unknown> = new Set(['EMFILE', 'ENFILE', 'ENOBUFS', 'ENOMEM'])

/** How long an attempt waits before it is repeated, in milliseconds. */
const pauseMs = 1_000

/**
 * Returns the code of an error that is the fault of this machine and not of the endpoint; `undefined` for any other.
 * Not among them is EADDRNOTAVAIL: one endpoint alone can use up the ports to it.
 */
export const findShortage = (error: unknown): string | undefined => {
  if (!isError(error)) return undefined
  return 'code' in error && codes.has(error.code) ? String(error.code) : findShortage(error.cause)
}

/** Delays attempts that failed because this machine is short of descriptors or memory, and reports why. */
export const createShortages = (onError: (error: unknown) => void) => {
  let latest: { readonly error: Error; readonly timer: ReturnType<typeof setTimeout> } | undefined

  const report = (code: string): void => {
    const error = new Error(
      `This machine is out of file descriptors or memory (${code}), so attempts wait, and none is used up. Raise the limit of open files (ulimit -n, or LimitNOFILE of systemd).`,
    )
    clearTimeout(latest?.timer)
    const forget = (): void => {
      latest = undefined
    }
    // Longer than the pause, so that it lasts while the same attempt fails again and again.
    latest = { error, timer: startBackgroundTimer(forget, pauseMs * 2) }
    onError(error)
  }

  return {
    /** Reports a shortage, and resolves after a pause or when `stopping` fires. */
    wait: (code: string, stopping: Pick<StopSignal, 'onStop'>): Promise<void> => {
      report(code)
      return new Promise((resolve) => {
        const end = (): void => {
          clearTimeout(timer)
          removeStop()
          resolve()
        }
        const timer = startBackgroundTimer(end, pauseMs)
        const removeStop = stopping.onStop(end)
      })
    },
    /** Returns the error of a shortage in the last two seconds. */
    find: (): Error | undefined => latest?.error,
  }
}
