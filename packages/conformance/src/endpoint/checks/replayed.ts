import type { Finding } from '../../report/run-checks.ts'
import type { EndpointCheck } from '../check.ts'
import type { Examination, GenuineDelivery } from '../examination.ts'
import { judgeOnce, judgeRefused, sendEach } from '../judge.ts'
import { decodeKey, signDelivery } from '../payloads.ts'

const hour = 3_600

/** Sends genuine deliveries that were signed at other times. */
const sendShifted = async (
  examination: Examination,
  shifts: Readonly<Record<string, number>>,
): Promise<Finding> => {
  const { prepare, sign, sendHostile } = examination
  const attempts = await sendEach(shifts, async (shiftSeconds) => {
    const { delivery, headers, body } = await sign(await prepare(), { shiftSeconds })
    return { exchange: await sendHostile({ headers, body }, delivery.subject), delivery }
  })
  return judgeRefused(examination, attempts)
}

/** Functions that format the current time as something other than an integer of Unix seconds. */
const malformedTimes: Readonly<Record<string, (seconds: string) => string>> = {
  'digits and letters': (seconds) => `${seconds}abc`,
  'a fraction': (seconds) => `${seconds}.5`,
  'a sign': (seconds) => `+${seconds}`,
  hexadecimal: (seconds) => `0x${Number(seconds).toString(16)}`,
  'an exponent': (seconds) => Number(seconds).toExponential(),
  milliseconds: (seconds) => `${seconds}000`,
  NaN: () => 'NaN',
  'a word': () => 'now',
}

/** Functions that format the same number of seconds differently. The signature covers the original digits. */
const rewrittenTimes: Readonly<Record<string, (seconds: string) => string>> = {
  'a leading zero': (seconds) => `0${seconds}`,
  'a fraction of zero': (seconds) => `${seconds}.0`,
  'a plus': (seconds) => `+${seconds}`,
}

/**
 * Sends genuine deliveries with a differently formatted time. `change` returns the changed headers. Accepting one
 * results in advice, not a failure.
 */
const sendWritten = async (
  examination: Examination,
  times: typeof malformedTimes,
  change: (genuine: GenuineDelivery, timestamp: string) => Readonly<Record<string, string>>,
): Promise<Finding> => {
  const { prepare, sign, sendHostile } = examination
  const attempts = await sendEach(times, async (write) => {
    const genuine = await sign(await prepare())
    const headers = { ...genuine.headers, ...change(genuine, write(genuine.timestamp)) }
    return { exchange: await sendHostile({ headers, body: genuine.body }, genuine.delivery.subject) }
  })
  const finding = await judgeRefused(examination, attempts)
  return finding.verdict === 'fail' ? { ...finding, verdict: 'advice' } : finding
}

/** Checks that replay genuine deliveries. */
export const replayedChecks: readonly EndpointCheck[] = [
  {
    id: 'refuses-stale-timestamp',
    title: 'Refuses a delivery that was signed long ago',
    severity: 'high',
    clause: 'Standard Webhooks 1.0, "Verifying timestamps"; decision 0018: 5 minutes',
    expected: '4xx',
    risk: 'A delivery from an old log or backup can be repeated years later, when no deduplication remembers it.',
    fix: 'Refuse a delivery whose webhook-timestamp is more than 5 minutes old.',
    requests: 4,
    needs: ['signature'],
    run: (examination) =>
      sendShifted(examination, {
        '310 seconds ago': -310,
        'almost 10 minutes ago': -595,
        'an hour ago': -hour,
        'a year ago': -8_760 * hour,
      }),
  },
  {
    id: 'refuses-future-timestamp',
    title: 'Refuses a delivery that claims to be from the future',
    severity: 'medium',
    clause: 'Standard Webhooks 1.0, "Verifying timestamps"; decision 0018: 5 minutes',
    expected: '4xx',
    risk: 'A delivery that was signed for a future time can be replayed until then.',
    fix: 'Refuse a delivery whose webhook-timestamp is more than 5 minutes ahead; compare the absolute difference.',
    requests: 4,
    needs: ['signature'],
    run: (examination) =>
      sendShifted(examination, {
        'in 310 seconds': 310,
        'in almost 10 minutes': 595,
        'in an hour': hour,
        'in a year': 8_760 * hour,
      }),
  },
  {
    id: 'refuses-malformed-timestamp',
    title: 'Refuses a timestamp that is not an integer of Unix seconds',
    severity: 'low',
    clause: 'Standard Webhooks 1.0, "Webhook headers": an integer of Unix seconds',
    expected: '4xx',
    risk: 'If a timestamp becomes NaN, no comparison finds it too old. Only the holder of the secret can sign such a timestamp.',
    fix: 'Accept only /^\\d+$/, read it as seconds, and write the comparison so that NaN is refused.',
    requests: Object.keys(malformedTimes).length,
    needs: ['signature'],
    run: (examination) =>
      sendWritten(examination, malformedTimes, ({ delivery: { id }, body }, timestamp) => {
        const signature = signDelivery(decodeKey(examination.secret ?? ''), { id, timestamp, body })
        return { 'webhook-timestamp': timestamp, 'webhook-signature': `v1,${signature}` }
      }),
  },
  {
    id: 'refuses-rewritten-timestamp',
    title: 'Refuses a timestamp that was written differently when it was signed',
    severity: 'low',
    clause: 'Standard Webhooks 1.0, "Signature scheme": the timestamp is signed as it is sent',
    expected: '4xx',
    risk: 'A change in transit goes unnoticed. It is harmless only while every part of the application reads the same number.',
    fix: 'Verify webhook-timestamp as a string, and parse it afterwards.',
    requests: Object.keys(rewrittenTimes).length,
    needs: ['signature'],
    run: (examination) =>
      sendWritten(examination, rewrittenTimes, (_, timestamp) => ({ 'webhook-timestamp': timestamp })),
  },
  {
    id: 'refuses-captured-delivery',
    title: 'Refuses the signature of a handled delivery on another delivery',
    severity: 'critical',
    clause: 'Standard Webhooks 1.0, "Verifying webhook authenticity"',
    expected: '4xx',
    risk: 'One captured delivery is enough for an attack: its signature is accepted for other ids, times or contents.',
    fix: 'Compute the signature of every request; never remember which signatures were valid.',
    requests: 3,
    needs: ['signature'],
    run: async (examination) => {
      const { prepare, sign, send, sendHostile, ids, build, knowledge, countEffects } = examination
      const { delivery, headers, body } = await sign(await prepare())
      await send({ headers, body })
      const other = build(knowledge.effectName ?? 'CALL_AI_SUMMARY')
      const resent = { ...headers, 'webhook-id': ids.createWebhookId() }
      const effectsBefore = knowledge.effectName === undefined ? 0 : (await countEffects([delivery]))[0]
      return judgeRefused(examination, [
        {
          label: 'another id',
          exchange: await send({ headers: resent, body }),
          delivery,
          ...(effectsBefore !== undefined && { effectsBefore }),
        },
        {
          label: 'another id and body',
          exchange: await sendHostile(
            { headers: { ...headers, 'webhook-id': other.id }, body: other.body },
            other.subject,
          ),
          delivery: other,
        },
      ])
    },
  },
  {
    id: 'handles-replay-once',
    title: 'Handles a delivery once when exactly the same request is sent again',
    severity: 'high',
    clause: 'Standard Webhooks 1.0, "Replay attacks" and "Idempotency"',
    expected: 'one effect',
    risk: 'A stranger who records a delivery can have it handled again and again, until its timestamp is too old.',
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
