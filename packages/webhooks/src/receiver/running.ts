import { waitAtMost } from '../time-limit.ts'
import { assertAboveZero } from '../usage.ts'

/** Keeps a host running until work is done, like Next.js's `after` and Vercel's `waitUntil`. */
export type WaitUntil = (work: Promise<unknown>) => unknown

/** Options for `receiver.stop()`. */
export type StopOptions = {
  /**
   * How long `stop` waits for handlers before it aborts their `signal`, in milliseconds.
   * @default 10_000
   */
  readonly maxMs?: number | undefined
}

type Host = { readonly waitUntil: WaitUntil; readonly executionCtx: Host }

/**
 * Keeps the host running while handlers run, and keeps track of deliveries that are acknowledged early, before their
 * handlers have finished. After `stop`, no delivery is acknowledged early, because nothing would wait for its handlers.
 */
export const createRunning = (ack: 'after' | 'before', waitUntil?: WaitUntil) => {
  const early = new Map<Promise<unknown>, AbortController>()
  let isEarly = ack === 'before'
  let isWarned = !isEarly
  const configured = waitUntil && { waitUntil }

  return {
    /** Returns a controller for a delivery, or `undefined` if deliveries are not acknowledged early. */
    // Each delivery has its own controller, because Workers cannot create a controller outside a request.
    acknowledgeEarly: () => (isEarly ? new AbortController() : undefined),
    /**
     * Makes the host wait for work, which must not reject. Returns whether the delivery can be acknowledged
     * before the work has finished, because `stop` waits for the work.
     */
    keepAlive: (work: Promise<unknown>, given: object, abort?: AbortController): boolean => {
      // `stop` may have been called since the delivery arrived.
      const isAwaited = isEarly && abort !== undefined
      if (isAwaited) {
        early.set(work, abort)
        void work.then(() => early.delete(work))
      }
      try {
        // Any property may be missing. Hono's context has an `executionCtx`, whose getter throws on hosts
        // without an execution context.
        const host = given as Host
        // In addition to the option, because AWS Lambda freezes the process after the response in any case.
        if (configured) host.waitUntil?.(work)
        const keeper = configured ?? (host.waitUntil === undefined ? host.executionCtx : host)
        // Calls a missing `waitUntil` only until the warning is printed. Throwing and catching an error for
        // each delivery would take a third of the delivery's time.
        if (!isWarned || keeper?.waitUntil !== undefined) keeper.waitUntil(work)
      } catch (error) {
        if (!isWarned)
          console.warn("With ack: 'before', events are lost when this host stops. Pass waitUntil.", error)
        isWarned = true
      }
      return isAwaited
    },
    stop: async ({ maxMs = 10_000 }: StopOptions = {}): Promise<void> => {
      assertAboveZero('maxMs', maxMs)
      isEarly = false
      await waitAtMost(maxMs, () => Promise.all(early.keys()))
      for (const abort of early.values()) abort.abort(new Error(`stop() waited ${maxMs} ms.`))
    },
  }
}

/** The deliveries that are acknowledged early, and the hosts that wait for their handlers. */
export type Running = ReturnType<typeof createRunning>
