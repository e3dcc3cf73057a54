import { setDefaults } from '../../report/run-checks.ts'
import type { EndpointChecks } from '../check.ts'
import type { Examination } from '../examination.ts'
import { isRefused, judgeForged, judgeOnce } from '../judge.ts'
import { signDelivery } from '../payloads.ts'
import { type Exchange, isAccepted } from '../send.ts'
import { type Forgery, refuse, sendForgeries, withHeader } from './forgery.ts'

const hour = 3_600

/** Creates a forgery with a different timestamp that is signed, as the holder of the secret could. */
const signedAt =
  (write: (seconds: string) => string): Forgery =>
  ({ headers, id, timestamp, body, key }) => {
    const written = write(timestamp)
    const signature = `v1,${signDelivery(key, { id, timestamp: written, body })}`
    return { headers: { ...headers, 'webhook-timestamp': written, 'webhook-signature': signature } }
  }

const shiftedBy = (shift: number): Forgery => signedAt((seconds) => String(Number(seconds) + shift))

/** Creates a forgery that writes the same number of seconds differently. The signature covers the original digits. */
const rewritten = (write: (seconds: string) => string): Forgery =>
  withHeader('webhook-timestamp', ({ timestamp }) => write(timestamp))

/** Like `refuse`, but accepting one of the timestamps results in advice, not a failure. */
const adviseAgainst = (forgeries: Parameters<typeof refuse>[0]): ReturnType<typeof refuse> => ({
  ...refuse(forgeries),
  run: async (examination) => {
    const attempts = await sendForgeries(examination, forgeries)
    // Omits accepted deliveries, because the verdict must not depend on their effects.
    const responses = attempts.map(({ label, exchange, delivery }) =>
      isAccepted(exchange) || delivery === undefined ? { label, exchange } : { label, exchange, delivery },
    )
    const finding = await judgeForged(examination, responses)
    return finding.verdict === 'fail' ? { ...finding, verdict: 'advice' } : finding
  },
})

const oldTimes = refuse({
  'a time a year ago': shiftedBy(-8_760 * hour),
  'a time an hour ago': shiftedBy(-hour),
  'a time almost 10 minutes ago': shiftedBy(-595),
  'a time 310 seconds ago': shiftedBy(-310),
})

/** Returns whether the delivery of a year ago was accepted, but not one that is younger. */
const isOldestAloneAccepted = ({ exchanges, now }: Examination): boolean => {
  const list = (test: (exchange: Exchange) => boolean): number[] =>
    exchanges
      .filter(test)
      .map(({ request }) => now() / 1_000 - Number(request.headers['webhook-timestamp']))
      .filter((age) => age > 300)
  return Math.min(...list(isAccepted)) > hour + 60 && list(isRefused).length > 0
}

const checks: EndpointChecks = {
  'refuses-stale-timestamp': {
    title: 'Refuses a delivery that was signed long ago',
    severity: 'high',
    clause: 'Standard Webhooks 1.0, "Verifying timestamps"; docs/is-my-webhook-endpoint-safe.md: 5 minutes',
    risk: 'A delivery from an old log or backup can be repeated years later, when no deduplication remembers it.',
    fix: 'Refuse a delivery whose webhook-timestamp is more than 5 minutes old.',
    ...oldTimes,
    run: async (examination) => {
      const finding = await oldTimes.run(examination)
      if (finding.verdict !== 'fail' || !isOldestAloneAccepted(examination)) return finding
      const fix =
        'Compare the whole age in seconds. A part of it, such as timedelta.seconds of Python or a time without its date, leaves out the days.'
      return { ...finding, fix }
    },
  },
  'refuses-future-timestamp': {
    title: 'Refuses a delivery that claims to be from the future',
    severity: 'medium',
    clause: 'Standard Webhooks 1.0, "Verifying timestamps"; docs/is-my-webhook-endpoint-safe.md: 5 minutes',
    risk: 'A delivery that was signed for a future time can be replayed until then.',
    fix: 'Refuse a delivery whose webhook-timestamp is more than 5 minutes ahead; compare the absolute difference.',
    follows: 'refuses-stale-timestamp',
    ...refuse({
      'a time in a year': shiftedBy(8_760 * hour),
      'a time in an hour': shiftedBy(hour),
      'a time in almost 10 minutes': shiftedBy(595),
      'a time in 310 seconds': shiftedBy(310),
    }),
  },
  'refuses-malformed-timestamp': {
    title: 'Refuses a timestamp that is not an integer of Unix seconds',
    severity: 'low',
    clause: 'Standard Webhooks 1.0, "Webhook headers": an integer of Unix seconds',
    risk: 'If a timestamp becomes NaN, `age > 300` never finds it too old. Only the holder of the secret can sign such a timestamp.',
    follows: 'refuses-stale-timestamp',
    fix: 'Accept only /^\\d+$/, read it as seconds, and write the comparison so that NaN is refused.',
    ...adviseAgainst({
      'digits and letters': signedAt((seconds) => `${seconds}abc`),
      'a fraction': signedAt((seconds) => `${seconds}.5`),
      'a sign': signedAt((seconds) => `+${seconds}`),
      hexadecimal: signedAt((seconds) => `0x${Number(seconds).toString(16)}`),
      'an exponent': signedAt((seconds) => Number(seconds).toExponential()),
      milliseconds: signedAt((seconds) => `${seconds}000`),
      NaN: signedAt(() => 'NaN'),
      'a word': signedAt(() => 'now'),
    }),
  },
  'refuses-rewritten-timestamp': {
    title: 'Refuses a timestamp that was written differently when it was signed',
    severity: 'low',
    clause: 'Standard Webhooks 1.0, "Signature scheme": the timestamp is signed as it is sent',
    risk: 'A change in transit goes unnoticed. It is harmless only while every part of the application reads the same number.',
    fix: 'Verify webhook-timestamp as a string, and parse it afterwards.',
    ...adviseAgainst({
      'a leading zero': rewritten((seconds) => `0${seconds}`),
      'a fraction of zero': rewritten((seconds) => `${seconds}.0`),
      'a plus': rewritten((seconds) => `+${seconds}`),
    }),
  },
  'refuses-captured-delivery': {
    title: 'Refuses the signature of a handled delivery on another delivery',
    severity: 'critical',
    clause: 'Standard Webhooks 1.0, "Verifying webhook authenticity"',
    expected: '4xx',
    risk: 'One captured delivery is enough for an attack: its signature is accepted for other ids, times or contents.',
    fix: 'Compute the signature of every request; never remember which signatures were valid.',
    requests: 3,
    run: async (examination) => {
      const { prepare, sign, send, sendHostile, ids, build, knowledge, countEffectsOf } = examination
      const { delivery, headers, body } = await sign(await prepare())
      await send({ headers, body })
      const other = build(knowledge.effectName ?? 'CALL_AI_SUMMARY')
      const effectsBefore = await countEffectsOf(delivery)
      const resent = await send({ headers: { ...headers, 'webhook-id': ids.createWebhookId() }, body })
      const replaced = { headers: { ...headers, 'webhook-id': other.id }, body: other.body }
      const exchange = await sendHostile(replaced, other.subject)
      return judgeForged(examination, [
        { label: 'another id', exchange: resent, delivery, effectsBefore },
        { label: 'another id and body', exchange, delivery: other },
      ])
    },
  },
  'handles-replay-once': {
    isProof: true,
    follows: 'handles-duplicate-once',
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
      return judgeOnce(examination, delivery, '3 identical requests')
    },
  },
}

export const replayedChecks: EndpointChecks = setDefaults(checks, {
  needs: ['signature'],
  follows: 'refuses-wrong-secret',
})
