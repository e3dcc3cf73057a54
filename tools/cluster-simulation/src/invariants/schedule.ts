import type { AttemptVerdict, DeliveryRecord, DeliveryResponse, LoadedDelivery } from '@wabakit/core'
import type { Invariant, InvariantContext } from './invariant.ts'

const schedule = 'attempts follow the documented schedule'

const second = 1_000
const minute = 60 * second
const hour = 60 * minute
/** Copied from docs/rules.md instead of the code, so that the invariant detects a wrong pause. */
const pauses = [
  5 * second,
  5 * minute,
  30 * minute,
  2 * hour,
  5 * hour,
  10 * hour,
  14 * hour,
  20 * hour,
  24 * hour,
]

type Expected = {
  readonly kind: AttemptVerdict['kind']
  readonly low?: number
  readonly high?: number
  readonly releasesLane?: boolean
}

const readSeconds = (response: DeliveryResponse | undefined): number | undefined => {
  const header = response?.headers.get('retry-after') ?? ''
  return /^\d+$/.test(header) ? Number(header) * second : undefined
}

const expect = (
  { failures, deferrals, deferredMs }: LoadedDelivery['delivery'],
  response: DeliveryResponse | undefined,
): Expected => {
  const status = response?.status ?? 0
  const retryAfter = readSeconds(response)
  if (status >= 200 && status < 300) return { kind: 'delivered' }
  if (status === 410) return { kind: 'gone' }
  const left = 15 * minute - deferredMs
  if (status === 409 && retryAfter !== undefined && deferrals < 20 && left >= second) {
    const delay = Math.min(Math.max(second, retryAfter), left)
    return { kind: 'deferred', low: delay, high: delay }
  }
  const pause = pauses[failures]
  if (pause === undefined) return { kind: 'exhausted' }
  const requested = status === 429 || status === 503 ? Math.min(24 * hour, retryAfter ?? 0) : 0
  return {
    kind: 'retry',
    low: Math.max(pause, requested),
    high: Math.max(pause * 1.1 + 1, requested),
    releasesLane: failures + 1 >= 3,
  }
}

const matches = (result: AttemptVerdict, { kind, low = 0, high = 0, releasesLane }: Expected): boolean => {
  const isInTime = !('delayMs' in result) || (result.delayMs >= low && result.delayMs <= high)
  return result.kind === kind && isInTime && (result.kind !== 'retry' || result.releasesLane === releasesLane)
}

const describe = (result: object): string => JSON.stringify({ ...result, attempt: undefined })

/** Checks that each settlement follows from the response to its attempt. */
export const createScheduleInvariant = ({ violate }: InvariantContext): Invariant => {
  /** The responses to attempts that have ended, by loaded delivery. */
  const ended = new Map<DeliveryRecord, DeliveryResponse | undefined>()
  return {
    on: {
      'attempt ended': ({ attempted, response }) => ended.set(attempted.delivery, response),
      reset: () => ended.clear(),
      settled: ({ server, settlement: { delivery, result }, outcome }) => {
        if (outcome.outcome === 'stale' || !ended.has(delivery)) return
        const response = ended.get(delivery)
        const expected = expect(delivery, response)
        if (matches(result, expected)) return
        const what = `after ${response?.status ?? 'no response'} and ${delivery.failures} failures`
        violate(schedule, `${what}, ${server} settles ${describe(result)} instead of ${describe(expected)}`)
      },
    },
  }
}
