import type { EventName } from '@wabakit/contract'
import type { MeasuredProfile, Repeat } from '@wabakit/contract/profile'
import type { LoadedDelivery, Settlement, Store } from '@wabakit/core'
import type { DelayFault } from '../faults/delivery-fault.ts'
import type { Choose, Chosen } from './choose-value.ts'

type Deliveries = MeasuredProfile['deliveries']
type RepeatQuestion = 'repeatAfterSuccess' | 'repeatAfterFailure' | 'repeatAfterTimeout'

const unitMs: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000 }

const toMs = (gap: Repeat['gap']): number => Number(gap.slice(0, -1)) * (unitMs[gap.slice(-1)] ?? 0)

/** The start of the error message of an attempt that timed out. */
const timedOut = 'no complete response within'

/** Repeats and reorders deliveries as was measured. */
export const createMeasuredRepeats = ({
  deliveries,
  choose,
}: {
  readonly deliveries: Deliveries
  readonly choose: Choose
}) => {
  /** Chooses what follows an attempt. Returns `undefined` if nothing was measured, and no value if no other attempt follows. */
  const find = (
    question: RepeatQuestion,
    { attempt, subscriptionId }: { readonly attempt: number; readonly subscriptionId: string },
  ): Chosen<Repeat> | undefined => {
    const answer = deliveries[question]
    if (answer === undefined || answer.values.length === 0) return undefined
    const values = answer.values.filter(({ value }) => value === 'never' || value.attempt === attempt)
    return choose(`${question} ${attempt} ${subscriptionId}`, { ...answer, values }) ?? { value: undefined }
  }

  /** Number of attempts that were not held back, by delivery. */
  const attempts = new Map<string, number>()
  const countAttempt = (deliveryId: string): number => {
    const number = (attempts.get(deliveryId) ?? 0) + 1
    attempts.set(deliveryId, number)
    return number
  }

  const settle = (settlement: Settlement): Settlement | undefined => {
    const { result, delivery } = settlement
    if (result.kind !== 'retry' && result.kind !== 'deferred') return undefined
    const { attempt } = result
    const isTimeout = attempt.error?.startsWith(timedOut) === true
    const chosen = find(isTimeout ? 'repeatAfterTimeout' : 'repeatAfterFailure', {
      attempt: countAttempt(delivery.id) + 1,
      subscriptionId: delivery.subscriptionId,
    })
    if (chosen === undefined) return undefined
    if (chosen.value === undefined) return { ...settlement, result: { kind: 'exhausted', attempt } }
    const delayMs = toMs(chosen.value.gap)
    return { ...settlement, result: { kind: 'retry', attempt, delayMs, releasesLane: true } }
  }

  const orders = new Map<string, Chosen<{ first: EventName; second: EventName }> | undefined>()

  return {
    /** Wraps a store. What was not measured is settled by `live`, a wrapper of the same store. */
    limitRetries: (store: Store, live: Store): Store => ({
      ...live,
      settleDeliveries: async (settlements) => {
        const outcomes = []
        for (const settlement of settlements) {
          const measured = settle(settlement)
          outcomes.push(
            ...(await (measured === undefined
              ? live.settleDeliveries([settlement])
              : store.settleDeliveries([measured]))),
          )
        }
        return outcomes
      },
    }),
    /** Returns after how many milliseconds an acknowledged delivery arrives again, or `undefined`. */
    findRepeatAfterSuccess: ({ delivery }: LoadedDelivery): number | undefined => {
      const repeat = find('repeatAfterSuccess', {
        attempt: countAttempt(delivery.id) + 1,
        subscriptionId: delivery.subscriptionId,
      })?.value
      return repeat && toMs(repeat.gap)
    },
    /** Returns the delay of an event that a later event of its call overtakes. */
    findDelay: ({ event }: LoadedDelivery): DelayFault | undefined => {
      const { subject, name } = event
      const chosen = orders.has(subject) ? orders.get(subject) : choose('order', deliveries.order)
      orders.set(subject, chosen)
      if (chosen?.value?.second !== name) return undefined
      return { kind: 'delay', event: chosen.value.second, by: '1s' }
    },
  }
}
