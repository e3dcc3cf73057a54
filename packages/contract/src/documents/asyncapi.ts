import { type EmittedEventName, emittedEventNames } from '../emitted-event.ts'
import { descriptions } from './descriptions.ts'
import { emittedExamples } from './examples.ts'
import { drawSchemas, type JsonObject, schemaNameOf, sentSchemas } from './schemas.ts'
import { webhookHeaders } from './webhook-headers.ts'

const ref = (pointer: string): JsonObject => ({ $ref: `#/${pointer}` })

const headerExamples = Object.fromEntries(
  Object.entries(webhookHeaders).map(([name, { example }]) => [name, example]),
)

const message = (event: EmittedEventName): JsonObject => ({
  name: event,
  title: event,
  summary: descriptions[schemaNameOf(event)]?.description,
  contentType: 'application/json',
  headers: ref('components/schemas/WebhookHeaders'),
  payload: ref(`components/schemas/${schemaNameOf(event)}`),
  examples: [{ headers: headerExamples, payload: emittedExamples[event] }],
})

const headers = (): JsonObject => ({
  type: 'object',
  required: Object.keys(webhookHeaders),
  properties: Object.fromEntries(
    Object.entries(webhookHeaders).map(([name, { description, schema }]) => [
      name,
      { description, ...schema },
    ]),
  ),
})

const byEvent = (of: (event: EmittedEventName) => JsonObject): JsonObject =>
  Object.fromEntries(emittedEventNames.map((event) => [event, of(event)]))

/**
 * The AsyncAPI 3.0 document of the nine webhooks: one channel, the URL of a subscription, and one message per event
 * with its Standard Webhooks headers. Made from the schemas, so that it says what the reference server sends.
 *
 * @example
 * console.log(JSON.stringify(asyncApiDocument(), null, 2))
 */
export const asyncApiDocument = (): JsonObject => ({
  asyncapi: '3.0.0',
  info: {
    title: 'Webhooks of WhatsApp groups and calls',
    version: '1.0.0',
    description:
      'Each event is one HTTP POST to every subscription of the number that it concerns. What is not answered by 200 to 299 is sent again, with the same `webhook-id`. Readers ignore fields that they do not know.',
  },
  defaultContentType: 'application/json',
  channels: {
    subscription: {
      address: null,
      title: 'The URL of a subscription',
      description:
        'Group events go to subscriptions of the WABA number, call events to those of the number called.',
      messages: byEvent((event) => ref(`components/messages/${event}`)),
    },
  },
  operations: {
    deliver: {
      action: 'send',
      channel: ref('channels/subscription'),
      summary: 'Deliver an event',
      bindings: { http: { method: 'POST', bindingVersion: '0.3.0' } },
      messages: emittedEventNames.map((event) => ref(`channels/subscription/messages/${event}`)),
    },
  },
  components: {
    messages: byEvent(message),
    schemas: { ...drawSchemas(sentSchemas, '#/components/schemas'), WebhookHeaders: headers() },
  },
})
