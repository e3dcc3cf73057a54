import { assertAboveZero, assertOptions } from '../usage.ts'

/** Keeps a host running until work is done, like `after` of Next.js and `waitUntil` of Vercel's functions. */
export type WaitUntil = (work: Promise<unknown>) => unknown

/** Options for `receiver.stop()`. */
export type StopOptions = {
  /**
   * Milliseconds until the `signal` of handlers that are still running aborts, and `stop` no longer waits for them.
   * @default 10_000
   */
  readonly maxMs?: number | undefined
}

type Host = { waitUntil: WaitUntil }

const isHost = (value: unknown): value is Host => typeof Object(value).waitUntil === 'function'

const findHost = (given: object): Host | undefined => {
  if (isHost(given)) return given
  try {
    // The context of Hono, where this throws on hosts that have none, such as Node.js.
    const { executionCtx }: { executionCtx?: unknown } = given
    return isHost(executionCtx) ? executionCtx : undefined
  } catch {
    return undefined
  }
}

/**
 * Keeps the host running while handlers run, and keeps track of deliveries that are acknowledged early, before their
 * handlers have finished. After `stop`, none is: nothing would wait for it.
 */
export const createRunning = (ack: 'after' | 'before', waitUntil?: WaitUntil) => {
  const early = new Set<Promise<unknown>>()
  const late = new AbortController()
  let isStopped = false
  let isWarned = false

  const warn = (...cause: unknown[]): void => {
    if (isWarned || ack === 'after') return
    isWarned = true
    const message =
      "With ack: 'before', events are lost here when the host stops, because nothing tells it to wait. Pass waitUntil: " +
      'after of next/server, or waitUntil of @vercel/functions. If your process runs until you stop it, pass ' +
      'waitUntil: () => {}, and call receiver.stop() before it ends.'
    console.warn(message, ...cause)
  }

  return {
    /** Returns the signal for a delivery that is acknowledged early; otherwise `undefined`. */
    acknowledgeEarly: (): AbortSignal | undefined =>
      ack === 'before' && !isStopped ? late.signal : undefined,
    /** Asks the host to wait for work, which never rejects. */
    keepAlive: (work: Promise<unknown>, given: object): void => {
      try {
        const host = waitUntil === undefined ? findHost(given) : { waitUntil }
        if (host === undefined) warn()
        else host.waitUntil(work)
      } catch (error) {
        warn(error)
      }
    },
    /** Adds work that `stop` waits for. It never rejects. */
    track: (work: Promise<unknown>): void => {
      early.add(work)
      void work.then(() => early.delete(work))
    },
    stop: async (options: StopOptions = {}): Promise<void> => {
      assertOptions('stop()', options, ['maxMs'])
      const { maxMs = 10_000 } = options
      assertAboveZero('maxMs', maxMs)
      isStopped = true
      let timer: ReturnType<typeof setTimeout> | undefined
      const expired = new Promise<void>((resolve) => {
        timer = setTimeout(() => {
          late.abort(new Error(`The receiver was stopped, and did not wait longer than ${maxMs} ms.`))
          resolve()
        }, maxMs)
      })
      await Promise.race([Promise.all(early), expired])
      clearTimeout(timer)
    },
  }
}

/** The deliveries that a receiver is handling. */
export type Running = ReturnType<typeof createRunning>
