import type { EndpointCheck } from '../check.ts'
import type { Examination } from '../examination.ts'
import { type Attempt, judgeRefused, softenToAdvice } from '../judge.ts'
import { judgeOnce } from '../once.ts'
import { decodeKey, signDelivery } from '../sign.ts'

const hour = 3_600

/** Sends genuine deliveries that were signed at other times. */
const sendShifted = async (
  { prepare, sign, sendHostile }: Examination,
  shifts: Readonly<Record<string, number>>,
): Promise<Attempt[]> => {
  const attempts: Attempt[] = []
  for (const [label, shiftSeconds] of Object.entries(shifts)) {
    const { delivery, headers, body } = await sign(await prepare(), { shiftSeconds })
    attempts.push({ label, exchange: await sendHostile({ headers, body }, delivery.subject) })
  }
  return attempts
}

/** Writes the present time in ways that are not the digits of Unix seconds. */
const malformedTimes: Readonly<Record<string, (seconds: string) => string>> = {
  'digits and letters': (seconds) => `${seconds}abc`,
  'a fraction': (seconds) => `${seconds}.5`,
  'a sign': (seconds) => `+${seconds}`,
  hexadecimal: (seconds) => `0x${Number(seconds).toString(16)}`,
  'an exponent': (seconds) => Number(seconds).toExponential(),
  NaN: () => 'NaN',
  'a word': () => 'now',
}

/** Genuine deliveries that were recorded, and are sent again. */
export const replayedChecks: readonly EndpointCheck[] = [
  {
    id: 'refuses-stale-timestamp',
    title: 'Refuses a delivery that was signed long ago',
    severity: 'high',
    clause: 'Standard Webhooks 1.0, "Verifying timestamps"; decision 0018: 5 minutes',
    expected: '4xx',
    risk: 'A delivery from an old log or backup can be repeated years later, when no deduplication remembers it.',
    fix: 'Refuse when webhook-timestamp is more than 5 minutes old.',
    requests: 2,
    needs: ['signature'],
    run: async (examination) =>
      judgeRefused(await sendShifted(examination, { 'an hour ago': -hour, 'a year ago': -8_760 * hour })),
  },
  {
    id: 'refuses-future-timestamp',
    title: 'Refuses a delivery that claims to be from the future',
    severity: 'medium',
    clause: 'Standard Webhooks 1.0, "Verifying timestamps"; decision 0018: 5 minutes',
    expected: '4xx',
    risk: 'A delivery that was signed for a time to come stays replayable until then.',
    fix: 'Refuse when webhook-timestamp is more than 5 minutes ahead; compare the absolute difference.',
    requests: 2,
    needs: ['signature'],
    run: async (examination) =>
      judgeRefused(await sendShifted(examination, { 'in an hour': hour, 'in a year': 8_760 * hour })),
  },
  {
    id: 'refuses-malformed-timestamp',
    title: 'Refuses a timestamp that is not digits alone',
    severity: 'low',
    clause: 'Standard Webhooks 1.0, "Webhook headers": an integer of Unix seconds',
    expected: '4xx',
    risk: 'Where a timestamp becomes NaN, no comparison finds it too old. Only the holder of the secret can sign such a one.',
    fix: 'Accept /^\\d+$/ alone, and compare so that NaN is refused.',
    requests: Object.keys(malformedTimes).length,
    needs: ['signature'],
    run: async (examination) => {
      const attempts: Attempt[] = []
      for (const [label, write] of Object.entries(malformedTimes)) {
        const {
          delivery,
          headers,
          timestamp: now,
          body,
        } = await examination.sign(await examination.prepare())
        const timestamp = write(now)
        const signature = signDelivery(decodeKey(examination.secret ?? ''), {
          id: delivery.id,
          timestamp,
          body,
        })
        const changed = { ...headers, 'webhook-timestamp': timestamp, 'webhook-signature': `v1,${signature}` }
        const exchange = await examination.sendHostile({ headers: changed, body }, delivery.subject)
        attempts.push({ label, exchange })
      }
      return softenToAdvice(judgeRefused(attempts))
    },
  },
  {
    id: 'handles-replay-once',
    title: 'Handles a delivery once when exactly the same request comes again',
    severity: 'high',
    clause: 'Standard Webhooks 1.0, "Replay attacks" and "Idempotency"',
    expected: 'one effect',
    risk: 'Whoever records a delivery can have it handled again and again, until its timestamp is too old.',
    fix: 'Remember each webhook-id for longer than the tolerance of the timestamp.',
    requests: 3,
    needs: ['effects'],
    run: async (examination) => {
      const { prepare, sign, send } = examination
      const { delivery, headers, body } = await sign(await prepare())
      for (let copy = 0; copy < 3; copy += 1) await send({ headers, body })
      return judgeOnce(examination, [delivery], '3 identical requests')
    },
  },
]
