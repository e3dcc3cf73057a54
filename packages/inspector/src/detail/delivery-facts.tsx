import type { Delivery } from '@wabakit/server/control-types'
import { findSubscription } from '../api/choices.ts'
import { CopyButton } from '../parts/copy-button.tsx'
import { Facts } from '../parts/facts.tsx'
import { RecordLink } from '../parts/record-link.tsx'
import { SubjectLink } from '../parts/subject-link.tsx'
import { Time } from '../parts/time.tsx'

export const DeliveryFacts = ({ delivery }: { readonly delivery: Delivery }) => {
  const { subscriptionId, webhookId, eventId, dueAt, status, finishedAt, deferrals } = delivery
  return (
    <Facts
      facts={{
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
            'the id of the event'
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
