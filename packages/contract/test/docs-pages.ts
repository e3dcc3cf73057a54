import { type ErrorCode, type EventName, endpoints, errorCodes, eventNames, isErrorCode } from '@wabakit/wire'
import { buildErrorExample, endpointErrors } from '../src/documents/errors.ts'
import { eventExamples } from '../src/documents/examples.ts'
import { createJsonSchemas } from '../src/documents/index.ts'
import { type JsonObject, toSchemaName } from '../src/documents/json-schemas.ts'
import { reasonPhrases } from '../src/error-body.ts'
import type { HealthEvent } from '../src/health-event.ts'
import { isPublishedEventName } from '../src/published-event.ts'
import type { Described } from './descriptions-source.ts'

const notice = `<!-- Generated from the sources of packages/contract. Update with "npx vitest run packages/contract -u". -->
`

const formatTable = (heads: readonly string[], rows: readonly (readonly string[])[]): string =>
  [heads, heads.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n')

const formatJson = (value: unknown): string => `\`\`\`json\n${JSON.stringify(value, null, 2)}\n\`\`\``

const formatEndpoints = (code: ErrorCode): string =>
  Object.entries(endpointErrors)
    .filter(([, codes]) => codes.includes(code))
    .map(([name]) => `\`${name}\``)
    .join(' and ') || 'other paths and methods'

const renderError = (code: ErrorCode, described: Described): string => {
  const text = described.errorCodes?.fields[code]?.replace('\n\n', ' ')
  return `### \`${code}\`\n\n${text}\n\nReturned by ${formatEndpoints(code)}.`
}

/** Renders `docs/reference/errors.md`. */
export const renderErrorsPage = (described: Described): string => {
  const codes = Object.keys(errorCodes).filter(isErrorCode)
  const sections = [...Map.groupBy(codes, (code) => errorCodes[code])].map(([status, group]) =>
    [`## ${status} ${reasonPhrases[status]}`, ...group.map((code) => renderError(code, described))].join(
      '\n\n',
    ),
  )
  const lines = Object.entries(endpoints).map(
    ([name, { method, path }]) => `- \`${name}\`: \`${method} ${path}\``,
  )
  return `${notice}
# Errors

Every error response of the reference server has an \`x-request-id\` header and a body like this:

${formatJson(buildErrorExample('invalid_subject'))}

- \`message\` is for people.
- \`code\` is for programs. \`errorCodes\` in \`wabakit/contract\` lists all codes with their statuses.
- \`issues\` lists the invalid fields, if any. \`path\` is the path of the field, with dots. If several fields are invalid,
  \`code\` belongs to the first one in the order of the request's fields.

Every response to a request that counts toward a limit has the headers \`RateLimit\` and \`RateLimit-Policy\`.

Other services may send other bodies: without \`code\` or \`error\`, with an array as \`message\`, or HTML. The client accepts all
of these. It sets \`error.status\` to the HTTP status, and \`error.code\` to \`unknown\` if the body has no code of this list.

The sections below name the endpoints like the client's methods:

${lines.join('\n')}

${sections.join('\n\n')}
`
}

const formatNames = (names: readonly string[]): string => names.map((name) => `\`${name}\``).join(', ')

const formatType = (schema: JsonObject): string => {
  const { $ref, anyOf, const: only, enum: values, examples, type } = schema
  if ($ref !== undefined) return 'object'
  if (Array.isArray(anyOf))
    return anyOf
      .filter((part) => Object.keys(part).length > 0)
      .map(formatType)
      .join(' or ')
  if (Array.isArray(values)) return formatNames(values)
  if (Array.isArray(examples)) return `${formatNames(examples)} or another ${type}`
  if (only !== undefined) return `\`${only}\``
  return type === 'array' ? 'array of strings' : [type ?? []].flat().join(' or ')
}

const schemas = createJsonSchemas()

type Schema = {
  readonly properties: { readonly [field: string]: JsonObject }
  readonly required: readonly string[]
}

const readSchema = (name: string): Schema => ({ properties: {}, required: [], ...schemas[name] })

const renderFields = (
  { properties, required }: Schema,
  names: readonly string[],
  fields: { readonly [field: string]: string },
): string =>
  formatTable(
    ['Field', 'Type', 'Meaning'],
    names.map((name) => [
      `\`${name}\``,
      `${formatType(properties[name] ?? {})}${required.includes(name) ? '' : ', optional'}`,
      fields[name] ?? '',
    ]),
  )

const renderReceiving = (
  received: Schema,
  sent: Schema,
  fields: { readonly [field: string]: string },
): string => {
  const others = Object.keys(received.properties).filter((name) => !(name in sent.properties))
  const required = `Required when received: ${formatNames(received.required)}.`
  return others.length === 0
    ? required
    : `${required} Other services also send these fields:\n\n${renderFields(received, others, fields)}`
}

const renderEvent = (name: EventName, described: Described): string => {
  const { description = '', fields = {} } = described[toSchemaName(name)] ?? {}
  const received = readSchema(`Received${toSchemaName(name)}`)
  const sent = isPublishedEventName(name) ? readSchema(toSchemaName(name)) : received
  const names = Object.keys(received.properties).filter((field) => field in sent.properties)
  return [
    `## ${name}`,
    description,
    renderFields(sent, names, fields),
    ...(sent === received ? [] : [renderReceiving(received, sent, fields)]),
    formatJson(eventExamples[name]),
  ].join('\n\n')
}

/** Renders `docs/reference/events.md`. */
export const renderEventsPage = (described: Described): string => `${notice}
# Events

Each event is a JSON object, sent by POST to every subscription of the number it belongs to. \`WebhookEvent\` is the union
of all events, discriminated by \`event\`.

The events of a call happen in this order: CALL_INCOMING_INITIATED or CALL_OUTGOING_INITIATED, CALL_ACCEPTED, CALL_ENDED,
CALL_AI_SUMMARY; one whose delivery fails may arrive after later ones. The last three events on this page are not part of
the specification: a live service sends them, but the reference server only in simulations and as test events, in which
unset fields are empty, as in a live service.

## Sent and received

**Sent:** the tables show what the reference server sends. An optional field that does not apply is absent, never empty.
Timestamps are in UTC with milliseconds. \`from\` equals \`channelNumber\`, and \`to\` equals \`customerNumber\`.

**Received:** parsing is lenient, because services differ, and because an event that is refused may be lost. Values of
enumerated fields that are added later are passed on, unknown fields are kept (\`extraFields(event)\` reads them), and
timestamps may be in any ISO 8601 format. In all events except CALL_AI_SUMMARY, a text that is not listed as required may be
missing, null or empty, and a number or a boolean may be missing or null. [What drifts](../vendor.md#what-is-tolerated-and-what-drifts)
is listed on its own page.

A live service sends \`groupId: null\` until it can resolve the id, usually while the group is created. To find the group, ask
the service for the groups of the number, and compare \`groupName\` (which is not unique) and, for GROUP_CREATED,
\`inviteLink\` and \`groupCreatedAt\`; for a participant, compare the phone number and the time with the participants of the groups
that have this name. Such an event belongs to no group in the inbox's order.

${eventNames.map((name) => renderEvent(name, described)).join('\n\n')}
`

/** Example of a webhook for an operational subscription. */
export const healthEventExample: HealthEvent = {
  type: 'subscription.failing',
  timestamp: '2026-01-05T10:10:04.000Z',
  data: {
    organizationId: 'acme',
    subscriptionId: 'sub_01K8ZQ4M2J7V0C9RXT5YB3NHDE',
    url: 'https://acme.example/webhooks',
    failingSince: '2026-01-05T10:00:00.000Z',
    disabledReason: null,
    eventId: 'evt_01K8ZQ6T5V7RXN3GMW4YB2HCDE',
    eventName: 'CALL_ENDED',
    attempts: 5,
    lastResponse: { status: 503, error: null },
  },
}

const renderHealthFields = (name: string, described: Described): string => {
  const schema = readSchema(name)
  return renderFields(schema, Object.keys(schema.properties), described[name]?.fields ?? {})
}

/** Renders `docs/reference/health-events.md`. */
export const renderHealthEventsPage = (described: Described): string => `${notice}
# Health events

Events about subscriptions, for operators: a subscription fails, was disabled or recovered, or a delivery is exhausted.
[The rules](../rules.md#subscriptions) define when they occur. They are sent to [operational subscriptions](../monitoring.md#failing-endpoints), signed and
retried like all others, but are not part of the interface: the name is in \`type\`, and they have other fields.

\`HealthEvent\` of \`wabakit/contract\` parses them. \`wabakit schemas\` prints its JSON Schema, under the same name.

${renderHealthFields('HealthEvent', described)}

\`data\`:

${renderHealthFields('HealthEventData', described)}

${formatJson(healthEventExample)}
`
