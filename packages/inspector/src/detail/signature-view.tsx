import type { Attempt, SentRequest } from '@wabakit/server/control-types'
import { findSubscription } from '../api/subscriptions.ts'
import { Facts } from '../components/facts.tsx'
import { RecordLink } from '../components/record-link.tsx'
import { Badge } from '../components/status.tsx'
import { Time } from '../components/time.tsx'
import { formatDuration } from '../format/time.ts'

/** Maximum age of a signature, in milliseconds: the default of `standardWebhooks()`. */
const toleranceMs = 300_000

type Judgment = readonly [tone: 'good' | 'warn', verdict: string, text: string]

/** Predicts whether a receiver with the current secret would accept the request now. */
const judge = ({ headers, changed, faults = [] }: SentRequest): Judgment => {
  if (faults.includes('tamper')) {
    return [
      'warn',
      'tampered',
      'A fault changed this request after it was signed. A receiver must reject it.',
    ]
  }
  if (changed.includes('secret')) {
    const text = 'The secret was replaced after this attempt. A resend is signed with the new one.'
    return ['warn', 'secret replaced', text]
  }
  const ageMs = Date.now() - Number(headers['webhook-timestamp']) * 1_000
  if (ageMs <= toleranceMs) {
    return ['good', 'verifies now', 'A receiver with the current secret would accept it now.']
  }
  return [
    'warn',
    'too old now',
    `The signature matches, but the request is ${formatDuration(ageMs)} old, and receivers accept at most 5 minutes. A resend has a new timestamp.`,
  ]
}

const changes = {
  secret: 'The secret has since been replaced, and this signature uses the new one.',
  subscription:
    'The subscription has since changed. If this includes its secret, the original signature was different.',
  webhook_id: 'The webhook-id and signature are from a later resend.',
} as const

/** Explains how the request was rebuilt, and how it differs from the original. */
export const describeExactness = ({ changed, faults }: SentRequest): string => {
  if (faults !== undefined) {
    return faults.length === 0
      ? 'Exactly what was sent.'
      : `Exactly what was sent. Faults: ${faults.join(', ')}.`
  }
  return changed.length === 0
    ? 'Identical to the original request. The event, the attempt and the secret have not changed since.'
    : ['Rebuilt from the event and the attempt.', ...changed.map((each) => changes[each])].join(' ')
}

type SignatureViewProps = {
  readonly request: SentRequest
  readonly attempt: Attempt
  readonly subscriptionId: string
}

/** The parts of a request's signature, and a prediction of whether a receiver would accept it. */
export const SignatureView = ({ request, attempt, subscriptionId }: SignatureViewProps) => {
  const { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signature } = request.headers
  if (timestamp === undefined || signature === undefined) {
    return <p class="quiet">This request has no signature. {describeExactness(request)}</p>
  }
  const [tone, verdict, text] = judge(request)
  const oldSecretExpiresAt = findSubscription(subscriptionId)?.previousSecretExpiresAt
  const isReplaced = request.changed.includes('secret')
  const alsoSigned = !isReplaced && oldSecretExpiresAt && attempt.startedAt < oldSecretExpiresAt
  return (
    <>
      <p class="line">
        <Badge tone={tone}>{verdict}</Badge>
        <span>{text}</span>
      </p>
      <Facts
        facts={{
          Secret: (
            <span>
              {isReplaced ? 'the previous secret of' : 'the current secret of'}{' '}
              <RecordLink view="subscriptions" id={subscriptionId}>
                the subscription
              </RecordLink>
              {alsoSigned && (
                <>
                  , and the previous one until <Time at={oldSecretExpiresAt} />
                </>
              )}
            </span>
          ),
          'webhook-id': <span class="id">{id}</span>,
          'webhook-timestamp': (
            <span>
              <span class="id">{timestamp}</span>{' '}
              <span class="quiet">
                · <Time at={new Date(Number(timestamp) * 1_000).toISOString()} />
              </span>
            </span>
          ),
          Signature: <span class="id">{signature}</span>,
        }}
      />
      <section>
        <h4>Signed content</h4>
        <pre class="code" tabIndex={0}>{`HMAC-SHA256(secret, "${id}.${timestamp}." + body)`}</pre>
      </section>
      <p class="quiet">{describeExactness(request)}</p>
      <p class="quiet">
        The receiver computes the same signature from the raw bytes of the body, before it parses them.
      </p>
    </>
  )
}
