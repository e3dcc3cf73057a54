import type { Attempt, Delivery } from '@wabakit/server/control-types'
import type { LiveMessage } from '../api/live.ts'
import { loadAttempts, sendOwn } from '../api/organization.ts'
import { findSubscription } from '../api/subscriptions.ts'
import { CopyButton } from '../components/copy-button.tsx'
import { Facts } from '../components/facts.tsx'
import { Icon } from '../components/icon.tsx'
import { RecordLink } from '../components/record-link.tsx'
import { HttpStatus, statusTexts } from '../components/status.tsx'
import { SubjectLink } from '../components/subject-link.tsx'
import { Time, WaitText } from '../components/time.tsx'
import { useRecord } from '../components/use-record.ts'
import { formatDuration } from '../format/time.ts'
import { getParam, setParams } from '../state/route.ts'
import { AttemptView } from './attempt-view.tsx'
import { toGuideUrl } from './guides.ts'

type LoadedDelivery = { readonly delivery: Delivery; readonly attempts: readonly Attempt[] }

/** A delivery, its attempts, and the attempt that the page's URL selects, by default the last one. */
type KnownDelivery = LoadedDelivery & { readonly attempt: Attempt | undefined }

const load = async (id: string): Promise<LoadedDelivery> => {
  const [delivery, attempts] = await Promise.all([sendOwn<Delivery>(['deliveries', id]), loadAttempts(id)])
  return { delivery, attempts }
}

const isAbout = (message: LiveMessage, known: LoadedDelivery | undefined): boolean => {
  if (known === undefined) return false
  const { id, wait } = known.delivery
  const blockedBy = wait && 'deliveryId' in wait ? wait.deliveryId : undefined
  return message.type === 'attempt' && [id, blockedBy].includes(message.attempt.deliveryId)
}

export const useDelivery = (id: string) => {
  const { value, problem } = useRecord({ load: () => load(id), isAbout })
  const known: KnownDelivery | undefined = value && {
    ...value,
    attempt:
      value.attempts.find(({ number }) => String(number) === getParam('attempt')) ?? value.attempts.at(-1),
  }
  return { known, problem }
}

/** The likely cause and remedy of a failed attempt, and why the delivery is unfinished or was skipped. */
const Verdict = ({ delivery, attempt }: Pick<KnownDelivery, 'delivery' | 'attempt'>) => {
  const { wait, subscriptionId, attempts } = delivery
  const diagnosis = attempt?.diagnosis
  if (!diagnosis && !wait) return null
  return (
    <section class={`verdict ${diagnosis ? 'bad' : ''}`} aria-label="Why">
      {diagnosis && (
        <>
          {attempt.number < attempts && (
            <p>
              About attempt {attempt.number} of {attempts}, which is not the last one:
            </p>
          )}
          <h3>
            <Icon name="warning" /> {diagnosis.text}
          </h3>
          <p>
            {diagnosis.remedy}{' '}
            <RecordLink view="subscriptions" id={subscriptionId}>
              Open the subscription
            </RecordLink>{' '}
            <a class="record" href={toGuideUrl(diagnosis.cause)} target="_blank" rel="noreferrer">
              Read the guide
            </a>
          </p>
        </>
      )}
      {wait && (
        <p class="wait">
          <WaitText wait={wait} />{' '}
          {'deliveryId' in wait && (
            <RecordLink view="deliveries" id={wait.deliveryId}>
              Open the delivery of {wait.eventName}
            </RecordLink>
          )}
        </p>
      )}
    </section>
  )
}

const DeliveryFacts = ({ delivery }: { readonly delivery: Delivery }) => {
  const { subscriptionId, webhookId, eventId, dueAt, status, finishedAt, deferrals } = delivery
  return (
    <Facts
      facts={{
        Status: `${status}: ${statusTexts[status]}`,
        Endpoint: (
          <RecordLink view="subscriptions" id={subscriptionId}>
            {findSubscription(subscriptionId)?.url ?? subscriptionId}
          </RecordLink>
        ),
        About: <SubjectLink {...delivery} />,
        Event: (
          <RecordLink view="events" id={eventId}>
            <span class="id">{eventId}</span>
          </RecordLink>
        ),
        'webhook-id':
          webhookId === eventId ? (
            'same as the event id'
          ) : (
            <span class="id">
              {webhookId} <CopyButton text={webhookId} label="Copy the webhook-id" />
            </span>
          ),
        'Next attempt': status === 'pending' && dueAt !== null && <Time at={dueAt} />,
        Finished: finishedAt !== null && <Time at={finishedAt} />,
        Deferred: deferrals > 0 && `${deferrals} times`,
      }}
    />
  )
}

type AttemptListProps = { readonly attempts: readonly Attempt[]; readonly selected: Attempt }

const AttemptList = ({ attempts, selected }: AttemptListProps) => (
  <section class="attempts" aria-label="Attempts">
    <h3>{attempts.length === 1 ? 'Attempt' : `${attempts.length} attempts`}</h3>
    <ul>
      {attempts.toReversed().map((attempt) => (
        <li key={attempt.number}>
          <button
            type="button"
            class="selectable"
            aria-current={attempt.number === selected.number}
            onClick={() => setParams({ attempt: String(attempt.number) })}
          >
            <span class="number">#{attempt.number}</span>
            <HttpStatus status={attempt.status} />
            <span class="error truncated">{attempt.error ?? (attempt.deferred ? 'deferred' : '')}</span>
            <span class="quiet">{formatDuration(attempt.durationMs)}</span>
            <Time at={attempt.startedAt} />
          </button>
        </li>
      ))}
    </ul>
  </section>
)

export const DeliveryBody = ({ delivery, attempts, attempt }: KnownDelivery) => (
  <>
    <Verdict delivery={delivery} attempt={attempt} />
    <DeliveryFacts delivery={delivery} />
    {attempt !== undefined && (
      <>
        <AttemptList attempts={attempts} selected={attempt} />
        <AttemptView delivery={delivery} attempts={attempts} attempt={attempt} />
      </>
    )}
  </>
)
