import { type EmittedEventName, emittedEventNames } from '../emitted-event.ts'
import { descriptions } from './descriptions.ts'
import { emittedExamples } from './examples.ts'
import { json, ref } from './openapi-parts.ts'
import { type JsonObject, schemaNameOf } from './schemas.ts'
import { webhookHeaders } from './webhook-headers.ts'

const webhook = (event: EmittedEventName): JsonObject => ({
  post: {
    operationId: `on${schemaNameOf(event)}`,
    summary: event,
    description: descriptions[schemaNameOf(event)]?.description,
    security: [],
    parameters: Object.keys(webhookHeaders).map((name) => ref('parameters', name)),
    requestBody: {
      required: true,
      content: json(ref('schemas', schemaNameOf(event)), { delivery: { value: emittedExamples[event] } }),
    },
    responses: {
      '2XX': { description: 'Received. Answer it once the delivery is safe with you.' },
      410: { description: 'Gone: the subscription is disabled, and nothing further is sent.' },
      429: { description: 'Too many: sent again later, not before `Retry-After`.' },
      503: { description: 'Not now: sent again later, not before `Retry-After`.' },
      default: {
        description: 'Failed, as is a redirect: sent again later, several times, with the same `webhook-id`.',
      },
    },
  },
})

/** The nine webhooks, by the name of the event. */
export const openApiWebhooks = (): JsonObject =>
  Object.fromEntries(emittedEventNames.map((event) => [event, webhook(event)]))
