import type { Delivery, Event, Page, Subscription } from '@wabakit/server/control-types'
import type { LiveMessage } from '../api/live.ts'
import { sendOwn } from '../api/organization.ts'
import { Facts } from '../parts/facts.tsx'
import { RecordLink } from '../parts/record-link.tsx'
import { Time } from '../parts/time.tsx'
import { useRecord } from '../parts/use-record.ts'
import { navigate } from '../state/route.ts'

/** Maximum number of unfinished deliveries to count. */
const maxCounted = 100

const unfinished = 'pending,waiting,claimed'

const advise = ({ disabledReason, failingSince }: Subscription): string => {
  const repair = 'When the endpoint works again, enable the subscription and resend the skipped deliveries.'
  if (disabledReason === 'gone') return `The endpoint responded with 410. ${repair}`
  if (disabledReason === 'failing') return `All attempts failed for 5 days. ${repair}`
  if (disabledReason === 'by_hand') return 'Enable the subscription and resend the skipped deliveries.'
  return failingSince === null
    ? 'The next success ends this.'
    : 'Open a delivery to see why it fails. Attempts continue for 5 days, then the subscription is disabled.'
}

const countWaiting = (count: number): string =>
  `${count === maxCounted ? 'at least ' : ''}${count} ${count === 1 ? 'delivery' : 'deliveries'}`

const describeResponse = ({ lastResponse }: Delivery): string =>
  String(lastResponse?.status ?? lastResponse?.error ?? '')

/**
 * A subscription's health: when it started to fail, its waiting deliveries, the last response, and the health events.
 */
export const SubscriptionHealth = ({ subscription }: { readonly subscription: Subscription }) => {
  const { id, enabled, failingSince, isReported } = subscription
  const isAbout = (message: LiveMessage): boolean =>
    message.type === 'attempt' && message.attempt.subscriptionId === id
  const query = { subscription: id, status: unfinished, limit: maxCounted }
  const { value: deliveries } = useRecord(
    { load: () => sendOwn<Page<Delivery>>('/deliveries', { query }), isAbout },
    [id],
  )
  const about = { subject: `subscription:${id}`, order: 'newest_first', limit: 5 }
  const { value: told } = useRecord(
    { load: () => sendOwn<Page<Event>>('/events', { query: about }), isAbout },
    [id],
  )
  const linkTo = (status: string, text: string) => (
    <RecordLink view="deliveries" filters={{ subscription: id, status }}>
      {text}
    </RecordLink>
  )
  const isFailing = failingSince !== null || isReported
  if (!isFailing && (told?.items.length ?? 0) === 0) return null
  const waiting = deliveries?.items ?? []
  const attempted = waiting.find(({ lastResponse }) => lastResponse !== null)
  return (
    <section class="attempts" aria-label="Health">
      <h3>Health</h3>
      {isFailing && (
        <Facts
          facts={{
            'Failing since': failingSince !== null && <Time at={failingSince} />,
            Waiting: waiting.length > 0 && linkTo(unfinished, countWaiting(waiting.length)),
            'Last response': attempted && describeResponse(attempted),
            'What to do': advise(subscription),
            'Not sent': !enabled && linkTo('exhausted,skipped', 'exhausted or skipped deliveries'),
          }}
        />
      )}
      <ul>
        {told?.items.map((event) => (
          <li key={event.id}>
            <button type="button" onClick={() => navigate('events', { id: event.id })}>
              <span class="name">{event.name}</span>
              <Time at={event.occurredAt} />
            </button>
          </li>
        ))}
      </ul>
    </section>
  )
}
