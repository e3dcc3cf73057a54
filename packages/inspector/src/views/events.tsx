import type { Delivery, Event, EventDetails, Page } from '@wabakit/server/control-types'
import { listCopyItems } from '../actions/delivery-actions.ts'
import { sendOwn } from '../api/organization.ts'
import { BodyView } from '../components/body-view.tsx'
import { Facts } from '../components/facts.tsx'
import { Menu } from '../components/menu.tsx'
import { Panel } from '../components/panel.tsx'
import { SubjectLink } from '../components/subject-link.tsx'
import { Time, timeWidth } from '../components/time.tsx'
import { useRecord } from '../components/use-record.ts'
import { Arrivals } from '../detail/arrivals.tsx'
import { DeliveryLinks } from '../detail/delivery-links.tsx'
import { reveal, showBody } from '../format/mask.ts'
import { readEvent } from '../format/read-event.ts'
import type { DetailProps, ListDefinition } from '../list/list-definition.ts'
import { eventFilters } from './filters.ts'

const EventDetail = ({ id, item }: DetailProps<Event>) => {
  const { value, problem } = useRecord({
    load: () => sendOwn<EventDetails>(['events', id]),
    // An attempt of another event of the same call or group may let this one follow.
    isAbout: (message, known) => message.type === 'attempt' && message.attempt.subject === known?.subject,
  })
  const deliveries = useRecord({
    load: () => sendOwn<Page<Delivery>>(['deliveries'], { query: { event: id } }),
    isAbout: (message) => message.type === 'attempt' && message.attempt.eventId === id,
  })
  const event = item ?? value
  return (
    <Panel
      label="Event"
      problem={problem || deliveries.problem}
      title={reveal(event?.name ?? id)}
      actions={event && <Menu items={listCopyItems(async () => event)} />}
    >
      {event !== undefined && (value ?? problem) && (deliveries.value ?? deliveries.problem) && (
        <>
          {value !== undefined && value.endpoints.length > 0 && (
            <section class="verdict" aria-label="Did it arrive?">
              <Arrivals endpoints={value.endpoints} />
            </section>
          )}
          <Facts
            facts={{
              About: <SubjectLink {...event} {...readEvent(event.payload)} />,
              Occurred: <Time at={event.occurredAt} />,
              Channel: event.channel,
              Id: <span class="id">{event.id}</span>,
            }}
          />
          <DeliveryLinks deliveries={deliveries.value?.items} by="endpoint" />
          <BodyView text={event.payload} label="Payload" />
        </>
      )}
    </Panel>
  )
}

export const events: ListDefinition<Event> = {
  view: 'events',
  order: 'newest_first',
  getId: ({ id }) => id,
  getTime: ({ occurredAt }) => occurredAt,
  searches: 'payloads',
  filters: eventFilters,
  columns: {
    Event: {
      width: 'minmax(140px, 1.1fr)',
      cell: ({ name }) => <span class="name">{reveal(name)}</span>,
      isName: true,
    },
    About: {
      width: 'minmax(90px, 1fr)',
      cell: (event) => <SubjectLink {...event} {...readEvent(event.payload)} />,
      isExtra: 'below',
    },
    Details: {
      width: 'minmax(120px, 2fr)',
      cell: ({ payload }) => {
        const { text, customerNumber, groupName } = readEvent(payload)
        const isKnown = Boolean(customerNumber ?? groupName)
        return text ?? (isKnown ? '' : <code class="quiet">{showBody(payload).slice(0, 300)}</code>)
      },
      isExtra: true,
    },
    Time: { width: timeWidth, cell: ({ occurredAt }) => <Time at={occurredAt} /> },
  },
  isAbout: ({ type }) => type === 'event',
  Detail: EventDetail,
  empty: {
    title: 'Nothing has happened yet',
    text: 'Events appear here as soon as the server publishes them. Make something happen:',
    commands: [
      'wabakit trigger call',
      'wabakit trigger call --set outcome=missed',
      'wabakit trigger GROUP_CREATED',
    ],
  },
}
