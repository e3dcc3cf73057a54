import { syncBuiltinESMExports } from 'node:module'
import timers from 'node:timers'
import timersPromises from 'node:timers/promises'
import type { EventLoop } from './event-loop.ts'

/** The loop that runs the timers of this thread, or `undefined` before the first run. */
let loop: EventLoop | undefined

const getLoop = (): EventLoop => {
  if (loop === undefined) throw new Error('A timer was started outside of a run.')
  return loop
}

type Handle = { cancel(): void; ref(): Handle; unref(): Handle; hasRef(): boolean }
type Callback = (...values: unknown[]) => void

const start = (
  label: string,
  { delayMs, isRepeated }: { delayMs: number; isRepeated: boolean },
  run: () => void,
): Handle => {
  const { schedule, cancel } = getLoop()
  const begin = () =>
    schedule({ delayMs: Math.ceil(delayMs), label }, () => {
      if (isRepeated) task = begin()
      run()
    })
  let task = begin()
  const handle: Handle = {
    cancel: () => cancel(task),
    ref: () => handle,
    unref: () => handle,
    hasRef: () => false,
  }
  return handle
}

const toDelay = (ms: unknown): number => (typeof ms === 'number' && ms > 0 ? ms : 0)

const virtual = {
  setTimeout: (run: Callback, ms?: unknown, ...values: unknown[]) =>
    start('timer', { delayMs: toDelay(ms), isRepeated: false }, () => run(...values)),
  setInterval: (run: Callback, ms?: unknown, ...values: unknown[]) =>
    start('interval', { delayMs: Math.max(1, toDelay(ms)), isRepeated: true }, () => run(...values)),
  setImmediate: (run: Callback, ...values: unknown[]) =>
    start('immediate', { delayMs: 0, isRepeated: false }, () => run(...values)),
}

/** Stops a virtual timer. Ignores real timers, which were started before the first run. */
const stop = (handle?: Partial<Handle> | null): void => handle?.cancel?.()

type SleepOptions = { readonly signal?: AbortSignal }

/** Functions that remove the abort listeners of pending sleeps. Node may keep signals with listeners in memory. */
const pending = new Set<() => void>()

/** The replacement for `setTimeout` of `node:timers/promises`. */
const sleep = (ms?: unknown, value?: unknown, { signal }: SleepOptions = {}): Promise<unknown> =>
  new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason)
    const timer = virtual.setTimeout(() => {
      end()
      resolve(value)
    }, ms)
    const abort = (): void => {
      end()
      timer.cancel()
      reject(signal?.reason)
    }
    const end = (): void => {
      signal?.removeEventListener('abort', abort)
      pending.delete(end)
    }
    pending.add(end)
    signal?.addEventListener('abort', abort)
  })

/** Replaces the global timers of this thread, `node:timers` and `node:timers/promises` with virtual timers. */
const install = (): void => {
  const clear = { clearTimeout: stop, clearInterval: stop, clearImmediate: stop }
  Object.assign(globalThis, virtual, clear)
  Object.assign(timers, virtual, clear)
  Object.assign(timersPromises, { setTimeout: sleep })
  syncBuiltinESMExports()
}

export const useVirtualTimers = (used: EventLoop): void => {
  if (loop === undefined) install()
  for (const end of pending) end()
  loop = used
}

/** Waits `ms` milliseconds of virtual time. */
export const wait = (ms: number): Promise<unknown> => sleep(ms)
