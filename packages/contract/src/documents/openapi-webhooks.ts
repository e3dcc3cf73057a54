import { type EmittedEventName, emittedEventNames } from '../emitted-event.ts'
import { descriptions } from './descriptions.ts'
import { emittedExamples } from './examples.ts'
import { createRef, describeJson, type JsonObject, toSchemaName } from './schemas.ts'
import { webhookHeaders } from './webhook-headers.ts'

const describeWebhook = (event: EmittedEventName): JsonObject => ({
  post: {
    operationId: `on${toSchemaName(event)}`,
    summary: event,
    description: descriptions[toSchemaName(event)]?.description,
    security: [],
    parameters: Object.keys(webhookHeaders).map((name) => createRef('parameters', name)),
    requestBody: {
      required: true,
      content: describeJson(createRef('schemas', toSchemaName(event)), {
        delivery: { value: emittedExamples[event] },
      }),
    },
    responses: {
      '2XX': { description: 'Received. Send this response once the event is stored or handled.' },
      409: {
        description:
          'The event is being handled. With `Retry-After`, it is sent again at that time, at most 20 times within 15 minutes, and the attempt does not count as failed. Otherwise, the attempt has failed.',
        headers: { 'Retry-After': createRef('headers', 'Retry-After') },
      },
      410: { description: 'Gone. The subscription is disabled, and nothing more is sent to it.' },
      429: {
        description: 'Too many requests. The event is sent again, no earlier than `Retry-After` allows.',
      },
      503: {
        description:
          'Temporarily unavailable. The event is sent again, no earlier than `Retry-After` allows.',
      },
      default: {
        description:
          'Any other status, redirects included, is a failed attempt. The event is sent again later, with the same `webhook-id`.',
      },
    },
  },
})

export const buildWebhooks = (): JsonObject =>
  Object.fromEntries(emittedEventNames.map((event) => [event, describeWebhook(event)]))
