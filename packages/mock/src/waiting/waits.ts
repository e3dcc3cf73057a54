import type { EventName, WebhookEventOf } from '@wabakit/contract'
import { blameCaller, MockTimeoutError, MockUsageError, UnexpectedEventError } from '../errors.ts'
import { printValue } from '../matching/print.ts'
import type { DeliveryOf, RecordedDelivery, Recorder } from '../recording.ts'
import { sleepRealTime } from '../time/timers.ts'
import { createEventFilter, type EventMatch } from './event-filter.ts'
import {
  formatPage,
  formatTimeout,
  listDeliveryReasons,
  listEventReasons,
  type Situation,
} from './timeout-message.ts'
import type { Waiters } from './waiters.ts'

/** Options for waiting. */
export type WaitOptions = {
  /** Milliseconds of real time; `Infinity` for no limit. @default 1_000 */
  readonly timeoutMs?: number | undefined
}

type WaitsContext = {
  readonly waiters: Pick<Waiters, 'wait'>
  readonly getRecorder: () => Recorder
  /** @throws MockUsageError if the mock is closed. */
  readonly assertOpen: (caller: string) => void
  readonly describeSituation: () => Promise<Situation>
  /** Saves a trace of a failed wait if the environment asks for it. Returns lines for the message of its error. */
  readonly saveFailure: (wait: string) => Promise<readonly string[]>
}

const checkMs = (name: string, ms: number): void => {
  if (typeof ms === 'number' && ms >= 0) return
  throw new MockUsageError(`${name} must be a number of milliseconds, 0 or more.`)
}

export const createWaits = (context: WaitsContext) => {
  const { waiters, getRecorder, assertOpen, describeSituation } = context

  /** Awaits a wait, and records how it ended. */
  const follow = async <Result>(label: string, wait: Promise<Result>): Promise<Result> => {
    try {
      const result = await wait
      getRecorder().addEnd('wait', label)
      return result
    } catch (error) {
      if (error instanceof MockTimeoutError || error instanceof UnexpectedEventError) {
        getRecorder().addEnd('wait', label, error.message)
        error.message = [error.message, ...(await context.saveFailure(label))].join('\n')
      }
      throw error
    }
  }

  return {
    /**
     * Resolves to the first matching event with this name, past or future.
     *
     * @throws MockTimeoutError if it does not happen in time. The message shows what happened instead.
     * @throws MockUsageError if an argument is invalid, or if the mock is closed or reset.
     */
    waitForEvent<Name extends EventName>(
      name: Name,
      match?: EventMatch<Name>,
      { timeoutMs = 1_000 }: WaitOptions = {},
    ): Promise<WebhookEventOf<Name>> {
      return blameCaller(async () => {
        const caller = 'waitForEvent'
        const filter = createEventFilter(caller, name, match)
        checkMs(`${caller}: timeoutMs`, timeoutMs)
        assertOpen(caller)
        const explain = (situation: Situation) => listEventReasons(filter, situation)
        const wait = waiters.wait({
          caller,
          timeoutMs,
          find: () => getRecorder().events.find(filter.accepts),
          label: filter.label,
          explain: async () =>
            formatTimeout(
              { failure: `No ${filter.label} happened`, timeoutMs, listReasons: explain },
              await describeSituation(),
            ),
          listReasons: async () => explain(await describeSituation()),
        })
        return follow(`${caller} ${filter.label}`, wait)
      })
    },

    /**
     * Resolves to the first acknowledged delivery (200 to 299) of a matching event with this name, past or
     * future. Deliveries without a target also count, until an endpoint is under test (see `acknowledged`).
     *
     * @throws MockTimeoutError if there is no such delivery in time. The message shows the responses.
     * @throws MockUsageError if an argument is invalid, or if the mock is closed or reset.
     */
    waitForDelivery<Name extends EventName>(
      name: Name,
      match?: EventMatch<Name>,
      { timeoutMs = 1_000 }: WaitOptions = {},
    ): Promise<DeliveryOf<Name>> {
      return blameCaller(async () => {
        const caller = 'waitForDelivery'
        const filter = createEventFilter(caller, name, match)
        checkMs(`${caller}: timeoutMs`, timeoutMs)
        assertOpen(caller)
        const isFound = (delivery: RecordedDelivery): delivery is DeliveryOf<Name> =>
          delivery.acknowledged && filter.accepts(delivery.event)
        const explain = (situation: Situation) => listDeliveryReasons(filter, situation)
        const wait = waiters.wait({
          caller,
          timeoutMs,
          find: () => getRecorder().deliveries.find(isFound),
          label: filter.label,
          explain: async () =>
            formatTimeout(
              { failure: `No delivery of ${filter.label} was acknowledged`, timeoutMs, listReasons: explain },
              await describeSituation(),
            ),
          listReasons: async () => explain(await describeSituation()),
        })
        return follow(`${caller} ${filter.label}`, wait)
      })
    },

    /**
     * Asserts that no matching event with this name has happened.
     *
     * @param options - `forMs`: time to keep watching, in milliseconds of real time (default: 0).
     * @throws UnexpectedEventError if one has.
     * @throws MockUsageError if an argument is invalid.
     */
    expectNoEvent<Name extends EventName>(
      name: Name,
      match?: EventMatch<Name>,
      { forMs = 0 }: { readonly forMs?: number | undefined } = {},
    ): Promise<void> {
      return blameCaller(async () => {
        const caller = 'expectNoEvent'
        const filter = createEventFilter(caller, name, match)
        checkMs(`${caller}: forMs`, forMs)
        const watch = async (): Promise<void> => {
          await sleepRealTime(forMs)
          const event = getRecorder().events.find(filter.accepts)
          if (event === undefined) return
          const { seed, pageUrl } = await describeSituation()
          const failure = `${filter.label} should not have happened, but it did (seed ${seed}): ${printValue(event)}`
          throw new UnexpectedEventError([failure, ...formatPage({ pageUrl })].join('\n'))
        }
        return follow(`${caller} ${filter.label}`, watch())
      })
    },
  }
}

/** @inline */
export type Waits = ReturnType<typeof createWaits>
