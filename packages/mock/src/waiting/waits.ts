import type { EventName, WebhookEventOf } from '@wabakit/contract'
import { blameCaller, MockUsageError, UnexpectedEventError } from '../errors.ts'
import { printValue } from '../matching/print.ts'
import type { DeliveryOf, RecordedDelivery, Recorder } from '../recording.ts'
import { sleepRealTime } from '../time/timers.ts'
import { createEventFilter, type EventMatch } from './event-filter.ts'
import { explainMissingDelivery, explainMissingEvent, type Situation } from './timeout-message.ts'
import type { Waiters } from './waiters.ts'

/** Options for waiting. */
export type WaitOptions = {
  /** Milliseconds of real time. @default 1_000 */
  readonly timeoutMs?: number | undefined
}

/** Options for `expectNoEvent`. @inline */
export type NoEventOptions = {
  /** How long to keep watching, in milliseconds of real time. @default 0 */
  readonly forMs?: number | undefined
}

type WaitsContext = {
  readonly waiters: Pick<Waiters, 'wait'>
  readonly getRecorder: () => Recorder
  /** @throws MockUsageError if the mock is closed. */
  readonly assertOpen: (caller: string) => void
  /** Returns whether a delivery that was only collected counts as acknowledged. */
  readonly countsCollected: () => boolean
  readonly describeSituation: () => Promise<Situation>
}

const checkMs = (name: string, ms: number): number => {
  if (typeof ms === 'number' && ms >= 0) return ms
  throw new MockUsageError(`${name} must be a number of milliseconds, 0 or more.`)
}

export const createWaits = ({
  waiters,
  getRecorder,
  assertOpen,
  countsCollected,
  describeSituation,
}: WaitsContext) => ({
  waitForEvent: <Name extends EventName>(
    name: Name,
    match?: EventMatch<Name>,
    options: WaitOptions = {},
  ): Promise<WebhookEventOf<Name>> =>
    blameCaller(async () => {
      const caller = 'waitForEvent'
      const filter = createEventFilter(caller, name, match)
      const timeoutMs = checkMs(`${caller}: timeoutMs`, options.timeoutMs ?? 1_000)
      assertOpen(caller)
      return waiters.wait({
        caller,
        timeoutMs,
        find: () => getRecorder().events.find(filter.accepts),
        explain: async () => explainMissingEvent({ filter, timeoutMs }, await describeSituation()),
      })
    }),

  waitForDelivery: <Name extends EventName>(
    name: Name,
    match?: EventMatch<Name>,
    options: WaitOptions = {},
  ): Promise<DeliveryOf<Name>> =>
    blameCaller(async () => {
      const caller = 'waitForDelivery'
      const filter = createEventFilter(caller, name, match)
      const timeoutMs = checkMs(`${caller}: timeoutMs`, options.timeoutMs ?? 1_000)
      const counts = ({ acknowledged, to }: RecordedDelivery): boolean =>
        acknowledged && (to !== 'collector' || countsCollected())
      assertOpen(caller)
      return waiters.wait({
        caller,
        timeoutMs,
        find: () =>
          getRecorder().deliveries.find(
            (each): each is DeliveryOf<Name> => counts(each) && filter.accepts(each.event),
          ),
        explain: async () => explainMissingDelivery({ filter, timeoutMs }, await describeSituation()),
      })
    }),

  expectNoEvent: <Name extends EventName>(
    name: Name,
    match?: EventMatch<Name>,
    options: NoEventOptions = {},
  ): Promise<void> =>
    blameCaller(async () => {
      const caller = 'expectNoEvent'
      const filter = createEventFilter(caller, name, match)
      await sleepRealTime(checkMs(`${caller}: forMs`, options.forMs ?? 0))
      const event = getRecorder().events.find(filter.accepts)
      if (event === undefined) return
      const { seed } = await describeSituation()
      throw new UnexpectedEventError(
        `${filter.label} should not have happened, but it did (seed ${seed}): ${printValue(event)}`,
      )
    }),
})
