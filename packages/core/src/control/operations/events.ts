import { Channel } from '@wabakit/contract'
import { writeJson } from '@wabakit/wire'
import * as z from 'zod/mini'
import { ControlError, requireFound } from '../../hosting/control-error.ts'
import { phoneNumber } from '../../values/input-schemas.ts'
import { checkPayload, findReceivers } from '../custom-payloads.ts'
import { EventFilter, order, selectEvents, subjectFilter } from '../filters.ts'
import { operationIn } from '../operation.ts'
import { eventName, named, page, pageQuery, showPage, subject } from '../schemas.ts'
import { listDeliveries } from '../timeline/explain-delivery.ts'
import { listArrivals } from '../timeline/list-arrivals.ts'
import { readTimeline, type TimelineSubject } from '../timeline/read-timeline.ts'
import { EventDetailsView, EventView, showEvent } from '../views/event.ts'
import { TimelineView } from '../views/timeline.ts'

const operation = operationIn('Events')
const path = '/organizations/:organizationId/events'

const PublishedEvent = named(
  'PublishedEventRequest',
  'An event to publish. `payload` is the body of its webhooks. `subject` is the call or group that it is about, such as `call:…`. The URLs of all subscriptions that it matches must be loopback addresses, or the server started with `--sandbox`. Each attempt checks that again, and skips the delivery if it no longer holds.',
  z.strictObject({
    name: eventName,
    subject,
    channel: Channel.check(z.describe('Network of the number.')),
    number: phoneNumber.check(z.describe("One of the organization's numbers.")),
    payload: z.record(z.string(), z.unknown()),
  }),
)

type Subject = { readonly call?: string | undefined; readonly group?: string | undefined }

const parseSubject = ({ call, group }: Subject): TimelineSubject => {
  if (call !== undefined && group === undefined) return { call }
  if (group !== undefined && call === undefined) return { group }
  throw new ControlError('invalid_input', 'Name either a `call` or a `group`.')
}

export const eventOperations = [
  operation({
    id: 'listEvents',
    route: `GET ${path}`,
    summary: 'List events, oldest first by default',
    query: z.extend(EventFilter, { ...pageQuery, order }),
    result: page('Event', EventView),
    run: async ({ params, query: { cursor, limit, order, ...filter } }, { service }) => {
      const query = { ...selectEvents(filter), cursor, limit, order }
      return showPage(await service.events.list(params.organizationId, query), showEvent)
    },
  }),
  operation({
    id: 'getEvent',
    route: `GET ${path}/:eventId`,
    summary: 'Get an event, and whether it has arrived',
    result: EventDetailsView,
    run: async ({ params: { organizationId, eventId } }, context) => {
      const { service } = context
      const [{ items }, deliveries] = await Promise.all([
        service.events.list(organizationId, { eventId, limit: 1 }),
        listDeliveries(service, organizationId, { eventId }),
      ])
      const event = showEvent(requireFound(items[0], 'event', eventId))
      return { ...event, endpoints: await listArrivals(context, deliveries) }
    },
  }),
  operation({
    id: 'publishEvent',
    route: `POST ${path}`,
    summary: 'Publish an event without changing anything else',
    body: PublishedEvent,
    result: EventView,
    status: 201,
    run: async ({ params: { organizationId }, body: { payload, ...event } }, context) => {
      const { service, live } = context
      checkPayload(await findReceivers(service, organizationId, event), context)
      const published = { ...event, payload: writeJson(payload) }
      const record = await service.events.publish(organizationId, published, { hasCustomPayload: true })
      live.wake()
      return showEvent(record)
    },
  }),
  operation({
    id: 'getTimeline',
    route: 'GET /organizations/:organizationId/timeline',
    summary: 'Get everything that happened to a call or group, in order',
    query: z.strictObject(subjectFilter),
    result: TimelineView,
    run: async ({ params, query }, context) => {
      const subject = parseSubject(query)
      const found = await readTimeline(context, params.organizationId, subject)
      if (subject.call === undefined) return requireFound(found, 'group', subject.group)
      return requireFound(found, 'call', subject.call)
    },
  }),
]
