import type { Attempt, SentRequest } from '../api/types.ts'
import { formatDuration, formatFull } from '../format/time.ts'
import { Facts } from '../parts/facts.tsx'
import { RecordLink } from '../parts/record-link.tsx'
import { Badge } from '../parts/status.tsx'
import { Time } from '../parts/time.tsx'
import { findSubscription } from '../views/choices.ts'

/** How far a timestamp may be off, in milliseconds: the default of Standard Webhooks. */
const toleranceMs = 300_000

/** Says whether a receiver with the secret accepts the request at this moment. */
const judge = (timestamp: number): { readonly isValid: boolean; readonly text: string } => {
  const ageMs = Date.now() - timestamp
  if (ageMs <= toleranceMs) return { isValid: true, text: 'A receiver with the secret accepts it now.' }
  return {
    isValid: false,
    text: `The signature matches, but the request is ${formatDuration(ageMs)} old, and a receiver takes at most 5 minutes. A resend has a new timestamp.`,
  }
}

type SignatureViewProps = {
  readonly request: SentRequest
  readonly attempt: Attempt
  readonly subscriptionId: string
}

/** How the signature of a request came about, and whether a receiver with the secret accepts it. */
export const SignatureView = ({ request, attempt, subscriptionId }: SignatureViewProps) => {
  const { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signature } = request.headers
  const { isValid, text } = judge(Number(timestamp) * 1_000)
  const oldSecretExpiresAt = findSubscription(subscriptionId)?.previousSecretExpiresAt
  const alsoSigned = oldSecretExpiresAt && attempt.startedAt < oldSecretExpiresAt
  return (
    <>
      <p class="line">
        <Badge tone={isValid ? 'good' : 'warn'}>{isValid ? 'verifies now' : 'too old now'}</Badge>
        <span>{text}</span>
      </p>
      <Facts
        facts={[
          [
            'Secret',
            <span key="secret">
              the current one of{' '}
              <RecordLink view="subscriptions" id={subscriptionId}>
                the subscription
              </RecordLink>
              {alsoSigned && (
                <>
                  , and the one before until <Time at={oldSecretExpiresAt} />
                </>
              )}
            </span>,
          ],
          [
            'webhook-id',
            <span class="id" key="id">
              {id}
            </span>,
          ],
          [
            'webhook-timestamp',
            <span key="timestamp">
              <span class="id">{timestamp}</span>{' '}
              <span class="quiet">{formatFull(new Date(Number(timestamp) * 1_000).toISOString())}</span>
            </span>,
          ],
          [
            'Signature',
            <span class="id" key="signature">
              {signature}
            </span>,
          ],
        ]}
      />
      <section>
        <h4>What is signed</h4>
        <pre class="code" tabIndex={0}>{`HMAC-SHA256(secret, "${id}.${timestamp}." + body)`}</pre>
      </section>
      <p class="hint">
        The receiver computes the same over the bytes of the body as they arrived, before any parser.
      </p>
    </>
  )
}
