import { Channel } from '@wabakit/contract'
import * as z from 'zod/mini'
import { notFound } from '../not-found.ts'
import { operation } from '../operation.ts'
import { named, pageOf } from '../schema-names.ts'
import { phoneNumber, subject } from '../texts.ts'
import { EventView, showEvent } from '../views/event.ts'
import { pageQuery } from './page-query.ts'

const tag = 'Events'
const path = '/organizations/:organizationId/events'

const PublishedEvent = named(
  'PublishedEventRequest',
  'Any event, as if it had happened. `payload` is what is sent; `subject` (such as `call:…`) what it is about.',
  z.strictObject({
    name: z.string().check(z.minLength(1)),
    subject: subject(),
    channel: Channel,
    number: phoneNumber(),
    payload: z.record(z.string(), z.unknown()),
  }),
)

/** Operations on events. */
export const eventOperations = [
  operation({
    id: 'listEvents',
    method: 'GET',
    path,
    summary: 'The events that happened, oldest first unless `order` says otherwise',
    tag,
    query: z.strictObject({
      ...pageQuery(),
      name: z.optional(z.string()),
      subject: z.optional(z.string()),
      order: z.optional(z.enum(['oldest_first', 'newest_first'])),
    }),
    result: pageOf('Event', EventView),
    run: async ({ parameter, query }, { service }) => {
      const { items, ...rest } = await service.events.list(parameter('organizationId'), query)
      return { ...rest, items: items.map(showEvent) }
    },
  }),
  operation({
    id: 'getEvent',
    method: 'GET',
    path: `${path}/:eventId`,
    summary: 'An event',
    tag,
    result: EventView,
    run: async ({ parameter }, { service }) => {
      const eventId = parameter('eventId')
      const [event] = (await service.events.list(parameter('organizationId'), { eventId, limit: 1 })).items
      if (event === undefined) throw notFound('event', eventId)
      return showEvent(event)
    },
  }),
  operation({
    id: 'publishEvent',
    method: 'POST',
    path,
    summary: 'Send any event, for simulations',
    tag,
    body: PublishedEvent,
    result: EventView,
    status: 201,
    run: async ({ parameter, body: { payload, ...event } }, { service, live }) => {
      const published = { ...event, payload: JSON.stringify(payload) }
      const record = await service.events.publish(parameter('organizationId'), published)
      live.wake()
      return showEvent(record)
    },
  }),
]
