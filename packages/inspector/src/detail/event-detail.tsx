import type { Delivery, Event, Page } from '@wabakit/server/control-types'
import { copyAs } from '../actions/delivery-actions.ts'
import { sendOwn } from '../api/organization.ts'
import { reveal } from '../format/reveal.ts'
import { formatFixture, formatTest } from '../format/snippets.ts'
import type { DetailProps } from '../list/list-view.tsx'
import { Facts } from '../parts/facts.tsx'
import { Menu } from '../parts/menu.tsx'
import { Panel } from '../parts/panel.tsx'
import { SubjectLink } from '../parts/subject-link.tsx'
import { Time } from '../parts/time.tsx'
import { useRecord } from '../parts/use-record.ts'
import { BodyView } from './body-view.tsx'
import { DeliveryLinks } from './delivery-links.tsx'

/** An event and its delivery to each endpoint. */
export const EventDetail = ({ id, item }: DetailProps<Event>) => {
  const { value, problem } = useRecord({ load: () => sendOwn<Event>(`/events/${encodeURIComponent(id)}`) }, [
    id,
  ])
  const { value: deliveries } = useRecord(
    {
      load: () => sendOwn<Page<Delivery>>('/deliveries', { query: { event: id } }),
      isAbout: (message) => message.type === 'attempt' && message.attempt.eventId === id,
    },
    [id],
  )
  const event = item ?? value
  return (
    <Panel
      label="Event"
      problem={problem}
      title={reveal(event?.name ?? id)}
      actions={
        event && (
          <Menu
            label="More actions"
            items={[
              {
                label: 'Copy as JSON fixture',
                icon: 'copy',
                onSelect: () => copyAs('json', async () => formatFixture(event)),
              },
              {
                label: 'Copy as vitest test',
                icon: 'copy',
                onSelect: () => copyAs('vitest', async () => formatTest(event)),
              },
            ]}
          />
        )
      }
    >
      {event !== undefined && (
        <>
          <Facts
            facts={{
              About: <SubjectLink {...event} />,
              Occurred: <Time at={event.occurredAt} />,
              Channel: event.channel,
              Id: <span class="id">{event.id}</span>,
            }}
          />
          <DeliveryLinks deliveries={deliveries?.items} by="endpoint" />
          <BodyView text={event.payload} label="Payload" />
        </>
      )}
    </Panel>
  )
}
