import type { WebhookEvent } from '@wabakit/contract'
import type { AttemptReported, ClaimedDelivery, DeliveryFetch } from '@wabakit/core'
import { parseEvent } from '@wabakit/webhooks'
import type { DeliveryRules } from '../faults/delivery-rules.ts'
import { tamperWith } from '../faults/tamper.ts'
import type { RecordedDelivery } from '../recording/recorded-delivery.ts'
import { createLateness, type LatenessContext } from './lateness.ts'
import type { Targets } from './targets.ts'

/** What {@link createCourier} works with. */
export type CourierContext = LatenessContext & {
  readonly rules: DeliveryRules
  readonly targets: Targets
  readonly record: (delivery: RecordedDelivery) => void
}

/** Carries the deliveries that the server's dispatcher has signed, with the faults that hit them. */
export type Courier = {
  readonly fetch: DeliveryFetch
  /** To be told of each attempt when it is settled. */
  settled(report: AttemptReported): void
  /** Deliveries whose answer is being waited for. */
  underway(): readonly ClaimedDelivery[]
  /** Lets go what is held back for the sake of an order. */
  release(): void
  /** Waits for no answer any more. */
  stop(): void
}

/** An attempt that left, and the copies that followed it. */
type Departure = { readonly attempt: RecordedDelivery; readonly copies: RecordedDelivery[] }

const eventOf = (payload: string): WebhookEvent | undefined => {
  const parsed = parseEvent(payload)
  return parsed.kind === 'event' ? parsed.event : undefined
}

const answered = (attempt: RecordedDelivery, status: number, answer: string): RecordedDelivery => ({
  ...attempt,
  status,
  answer,
  acknowledged: status >= 200 && status < 300,
})

/** Makes a courier. */
export const createCourier = (context: CourierContext): Courier => {
  const { rules, targets, time, record } = context
  const lateness = createLateness(context)
  const departures = new Map<ClaimedDelivery, Departure>()
  const attempts = new Map<string, number>()
  const stopped = Promise.withResolvers<never>()
  stopped.promise.catch(() => {})

  const nextNumber = (id: string): number => {
    const number = (attempts.get(id) ?? 0) + 1
    attempts.set(id, number)
    return number
  }

  const prepare = (claimed: ClaimedDelivery, init: RequestInit): RecordedDelivery => {
    const { delivery, event, subscription } = claimed
    const signed = { headers: new Headers(init.headers), body: event.payload }
    const tamper = rules.tamper.take(claimed)
    const reason = lateness.reasonOf(claimed)
    return {
      id: delivery.webhookId,
      name: event.name,
      event: eventOf(event.payload),
      to: targets.of(subscription.url).name,
      attempt: nextNumber(delivery.id),
      at: time.now(),
      ...(tamper === undefined ? signed : tamperWith(signed, tamper)),
      status: undefined,
      answer: '',
      error: undefined,
      acknowledged: false,
      faults: [...(reason ? [reason] : []), ...(tamper ? (['tamper'] as const) : [])],
    }
  }

  return {
    fetch: async (_url, init, claimed) => {
      if (lateness.keepsBack(claimed)) return new Response(null, { status: 204 })
      const attempt = prepare(claimed, init)
      const { send, url } = targets.of(claimed.subscription.url)
      const { body, headers } = attempt
      const arrive = () => Promise.race([send(new Request(url, { ...init, headers, body })), stopped.promise])
      if (rules.drop.take(claimed) !== undefined) {
        departures.set(claimed, { attempt: { ...attempt, faults: [...attempt.faults, 'drop'] }, copies: [] })
        throw new Error('lost on its way, by faults.deliveries.drop')
      }
      const copies: RecordedDelivery[] = []
      departures.set(claimed, { attempt, copies })
      const response = await arrive()
      const duplicate = rules.duplicate.take(claimed)
      for (let left = duplicate ? (duplicate.copies ?? 1) : 0; left > 0; left--) {
        const number = nextNumber(claimed.delivery.id)
        const copy = { ...attempt, attempt: number, faults: [...attempt.faults, 'duplicate' as const] }
        const again = await arrive()
        copies.push(answered(copy, again.status, await again.text()))
      }
      return response
    },
    settled: ({ claimed, result }) => {
      const departure = departures.get(claimed)
      departures.delete(claimed)
      if (departure === undefined || result.kind === 'released') return
      const { attempt, copies } = departure
      const { status, error, responseBody } = result.attempt
      record(
        status === null
          ? { ...attempt, error: error ?? 'no answer' }
          : answered(attempt, status, responseBody ?? ''),
      )
      for (const copy of copies) record(copy)
      lateness.arrived(claimed)
    },
    underway: () => [...departures.keys()],
    release: lateness.release,
    stop: () => stopped.reject(new Error('the mock was closed or reset')),
  }
}
