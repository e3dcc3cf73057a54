import type { SentRequest } from '@wabakit/server/control-types'
import { BodyView } from './body-view.tsx'

const sentences = {
  secret: 'The secret has been replaced since; this signature uses the new one.',
  subscription:
    'The subscription has been changed since. If its secret was changed, the signature was different.',
  webhook_id: 'The webhook-id and signature are from a later resend.',
} as const

/** Describes how a rebuilt request differs from the original. */
export const describeExactness = ({ changed }: Pick<SentRequest, 'changed'>): string =>
  changed.length === 0
    ? 'As it was sent: rebuilt from the event, the attempt and the secret, none of which has changed since.'
    : ['Rebuilt from the event and the attempt.', ...changed.map((each) => sentences[each])].join(' ')

export const RequestView = ({ request }: { readonly request: SentRequest }) => {
  const { method, url, headers, hiddenHeaders, body } = request
  return (
    <>
      <p class="line">
        <strong>{method}</strong> <code>{url}</code>
      </p>
      <h4>Headers</h4>
      <dl class="headers">
        {Object.entries(headers).map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
        {hiddenHeaders.map((name) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd class="hint">secret, never shown</dd>
          </div>
        ))}
      </dl>
      <p class="hint">{describeExactness(request)}</p>
      <BodyView text={body} label="Body" />
    </>
  )
}
