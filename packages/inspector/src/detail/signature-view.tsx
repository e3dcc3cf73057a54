import type { SentRequest } from '../api/types.ts'
import { formatFull } from '../format/time.ts'
import { Facts } from '../parts/facts.tsx'
import { RecordLink } from '../parts/record-link.tsx'
import { Badge } from '../parts/status.tsx'

const secrets = {
  current: 'the current secret of the subscription',
  previous: 'the secret before the last rotation, which still signs as well',
  replaced: 'a secret that has been replaced since',
} as const

type SignatureViewProps = {
  readonly request: SentRequest
  readonly subscriptionId: string
}

/** How the signature of a request came about, and whether a receiver with the secret accepts it. */
export const SignatureView = ({ request, subscriptionId }: SignatureViewProps) => {
  const { id, timestamp, secret, verifies, text } = request.signature
  const time = new Date(Number(timestamp) * 1_000).toISOString()
  return (
    <>
      <p class="line">
        <Badge tone={verifies ? 'good' : 'bad'}>{verifies ? 'verifies' : 'does not verify'}</Badge>
        <span>{text}</span>
      </p>
      <Facts
        facts={[
          [
            'Secret',
            <RecordLink key="secret" view="subscriptions" id={subscriptionId}>
              {secrets[secret]}
            </RecordLink>,
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
              <span class="id">{timestamp}</span> <span class="quiet">{formatFull(time)}</span>
            </span>,
          ],
          [
            'Signature',
            <span class="id" key="signature">
              {request.headers['webhook-signature']}
            </span>,
          ],
        ]}
      />
      <h4>What is signed</h4>
      <pre class="code">{`HMAC-SHA256(secret, "${id}.${timestamp}." + body)`}</pre>
      <p class="hint">
        The receiver computes the same from the bytes of the body as they arrived, before any parser, and
        rejects a timestamp that is more than five minutes off.
      </p>
    </>
  )
}
