import type { Attempt, SentRequest } from '@wabakit/server/control-types'
import { loadRequest } from '../api/organization.ts'
import { BodyView } from '../components/body-view.tsx'
import { HttpStatus, LoadProblem } from '../components/status.tsx'
import { findTab, Tabs } from '../components/tabs.tsx'
import { Time } from '../components/time.tsx'
import { useRecord } from '../components/use-record.ts'
import { formatDuration } from '../format/time.ts'
import { type ChosenAttempt, CompareView } from './compare-view.tsx'
import { describeExactness, SignatureView } from './signature-view.tsx'

/** Maximum length of a stored response body. */
const storedCharacters = 4_096

/** How an attempt of a mock differs from what the server counted. */
const WireView = ({ wire }: { readonly wire: NonNullable<Attempt['wire']> }) => (
  <p class="problem">
    Faults: {wire.faults.join(', ')}.{!wire.isSent && ' Nothing was sent.'}
    {wire.copies.length > 0 &&
      ` The same request was sent again, with the responses ${wire.copies.map(({ status }) => status ?? 'none').join(', ')}.`}
  </p>
)

const ResponseView = ({ attempt }: { readonly attempt: Attempt }) => {
  const { status, error, responseBody, durationMs, startedAt, wire } = attempt
  return (
    <>
      <p class="line">
        <HttpStatus status={status} />
        <span>
          after {formatDuration(durationMs)}, at <Time at={startedAt} />
        </span>
      </p>
      {wire && <WireView wire={wire} />}
      {error !== null && <p class="problem">{error}</p>}
      {responseBody ? (
        <BodyView text={responseBody} label="Body" />
      ) : (
        error === null && <p class="quiet">The response had no body.</p>
      )}
      {(responseBody?.length ?? 0) >= storedCharacters && (
        <p class="quiet">The server stores the first 4,096 characters of a response body.</p>
      )}
    </>
  )
}

const RequestView = ({ request }: { readonly request: SentRequest }) => {
  const { method, url, headers, hiddenHeaders, body } = request
  const hidden = Object.fromEntries(
    hiddenHeaders.map((name) => [name, <span class="quiet">secret, never shown</span>]),
  )
  return (
    <>
      <p class="line">
        <strong>{method}</strong> <code>{url}</code>
      </p>
      <h4>Headers</h4>
      <dl class="headers">
        {Object.entries({ ...headers, ...hidden }).map(([name, value]) => (
          <div key={name}>
            <dt class="quiet">{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      <p class="quiet">{describeExactness(request)}</p>
      <BodyView text={body} label="Body" />
    </>
  )
}

export const AttemptView = ({ delivery, attempts, attempt }: ChosenAttempt) => {
  const tabs = [
    { id: 'response', title: 'Response' },
    { id: 'request', title: 'Request' },
    { id: 'signature', title: 'Signature' },
    ...(attempts.length > 1 ? [{ id: 'compare', title: 'Compare' }] : []),
  ]
  const tab = findTab(tabs)
  const { value: request, problem } = useRecord({ load: () => loadRequest(delivery.id, attempt.number) }, [
    delivery.id,
    attempt.number,
  ])
  return (
    <section class="attempt" aria-label={`Attempt ${attempt.number}`}>
      <Tabs label="Parts of the attempt" tabs={tabs} />
      <div id="tab-panel" role="tabpanel" aria-labelledby={`tab-${tab}`}>
        {tab === 'response' && <ResponseView attempt={attempt} />}
        {tab === 'request' && request !== undefined && <RequestView request={request} />}
        {tab === 'signature' && request !== undefined && (
          <SignatureView request={request} attempt={attempt} subscriptionId={delivery.subscriptionId} />
        )}
        {tab === 'compare' && <CompareView delivery={delivery} attempts={attempts} attempt={attempt} />}
        {tab !== 'response' && <LoadProblem text={problem} />}
      </div>
    </section>
  )
}
