import type { EventName } from '@wabakit/wire'
import { CallSummary } from '../summary.ts'
import { descriptions } from './descriptions.ts'
import { eventExamples } from './examples.ts'
import {
  type DocumentedEvents,
  type JsonObject,
  listEvents,
  listSimulatedSchemas,
  publisher,
  sentEventSchemas,
  toJsonSchemas,
  toSchemaName,
} from './json-schemas.ts'
import { webhookHeaders } from './webhook-headers.ts'

const createRef = (pointer: string): JsonObject => ({ $ref: `#/${pointer}` })

const requiredHeaders = Object.entries(webhookHeaders).filter(([, { required }]) => required)

const headerExamples = Object.fromEntries(requiredHeaders.map(([name, { example }]) => [name, example]))

const describeMessage = (event: EventName): JsonObject => ({
  name: event,
  title: event,
  summary: descriptions[toSchemaName(event)],
  contentType: 'application/json',
  headers: createRef('components/schemas/WebhookHeaders'),
  payload: createRef(`components/schemas/${toSchemaName(event)}`),
  examples: [{ headers: headerExamples, payload: eventExamples[event] }],
})

const describeHeaders = (): JsonObject => ({
  type: 'object',
  required: requiredHeaders.map(([name]) => name),
  properties: Object.fromEntries(
    Object.entries(webhookHeaders).map(([name, { description, schema }]) => [
      name,
      { description, ...schema },
    ]),
  ),
})

const mapEvents = (events: DocumentedEvents, describe: (event: EventName) => JsonObject): JsonObject =>
  Object.fromEntries(listEvents(events).map((event) => [event, describe(event)]))

/**
 * Creates the AsyncAPI 3.0 document for the webhooks: one channel (the URL of a subscription) with a message for each
 * described event, which has the Standard Webhooks headers. It is generated from the schemas of this package.
 *
 * @example
 * console.log(JSON.stringify(createAsyncApiDocument(), null, 2))
 */
export const createAsyncApiDocument = (events: DocumentedEvents = {}): JsonObject => ({
  asyncapi: '3.0.0',
  info: {
    title: 'Webhooks of WhatsApp groups and calls',
    version: '1.0.0',
    description:
      'Each event is sent by HTTP POST to every subscription of the number it belongs to. Unless the response is 200 to 299, the event is sent again later with the same `webhook-id`; after 409, 429 and 503, no earlier than `Retry-After` allows. 410 disables the subscription. Webhooks also carry the static headers and the `authorization` header of their subscription, if it has any. Receivers must ignore unknown fields.',
    ...publisher,
    tags: [{ name: 'Groups' }, { name: 'Calls' }],
  },
  defaultContentType: 'application/json',
  channels: {
    subscription: {
      address: null,
      title: 'The URL of a subscription',
      description:
        'Group events are sent to the subscriptions of the WABA number, and call events to the subscriptions of the number used for the call.',
      messages: mapEvents(events, (event) => createRef(`components/messages/${event}`)),
    },
  },
  operations: {
    deliver: {
      action: 'send',
      channel: createRef('channels/subscription'),
      summary: 'Deliver an event',
      description: 'Sends one event to one subscription, until a response from 200 to 299 arrives.',
      bindings: { http: { method: 'POST', bindingVersion: '0.3.0' } },
      messages: listEvents(events).map((event) => createRef(`channels/subscription/messages/${event}`)),
    },
  },
  components: {
    messages: mapEvents(events, describeMessage),
    schemas: {
      ...toJsonSchemas(
        { CallSummary, ...sentEventSchemas, ...listSimulatedSchemas(events) },
        '#/components/schemas',
      ),
      WebhookHeaders: describeHeaders(),
    },
  },
})
