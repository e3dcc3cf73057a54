import { endpointErrors, errorExample, explain } from '../src/documents/errors.ts'
import { eventExamples } from '../src/documents/examples.ts'
import { type JsonObject, jsonSchemas } from '../src/documents/index.ts'
import { schemaNameOf } from '../src/documents/schemas.ts'
import { isEmittedEventName } from '../src/emitted-event.ts'
import { endpoints } from '../src/endpoints.ts'
import { type ErrorCode, errorCodes, isErrorCode } from '../src/error-codes.ts'
import { eventNames } from '../src/event-name.ts'
import { reasonPhrases } from '../src/reason-phrases.ts'
import { type EventName, eventSchemas } from '../src/webhook-event.ts'
import type { Described } from './descriptions-source.ts'

const notice = `<!-- Written from the sources by packages/contract/test/doc-comments.test.ts: change them, then run
     "vitest run packages/contract -u". -->
`

const table = (heads: readonly string[], rows: readonly (readonly string[])[]): string =>
  [heads, heads.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n')

const json = (value: unknown): string => `\`\`\`json\n${JSON.stringify(value, null, 2)}\n\`\`\``

const endpointsOf = (code: ErrorCode): string =>
  Object.entries(endpointErrors)
    .filter(([, codes]) => codes.includes(code))
    .map(([name]) => `\`${name}\``)
    .join(', ') || 'any path or method'

/** The page \`docs/errors.md\`. */
export const errorsPage = (described: Described): string => {
  const codes = Object.keys(errorCodes).filter(isErrorCode)
  const sections = [...Map.groupBy(codes, (code) => errorCodes[code])].map(([status, group]) => {
    const rows = group.map((code) => {
      const { meaning, remedy } = explain(code, described)
      return [`\`${code}\``, meaning, remedy, endpointsOf(code)]
    })
    return `## ${status} ${reasonPhrases[status]}\n\n${table(['code', 'means', 'do', 'answered by'], rows)}`
  })
  const lines = Object.entries(endpoints).map(
    ([name, { method, path }]) => `- \`${name}\`: \`${method} ${path}\``,
  )
  return `${notice}
# Errors

Every answer of the reference server that is not a success has this body, and the header \`x-request-id\`:

${json(errorExample('invalid_subject'))}

\`message\` is for people, \`code\` for programs. \`issues\` is there when fields are at fault: \`path\` is the field, with
dots. When several fields are, \`code\` is that of the first one in the order of the request table, and \`issues\` has
them all. The list of codes is closed: \`errorCodes\` in \`wabakit/contract\` has each with its status, and
\`isErrorCode\` tells whether a code is on it. The endpoints, by the names that the client gives them:

${lines.join('\n')}

A service of this interface that is not this project's may answer with another body: without \`code\`, without \`error\`,
with \`message\` as a list, or with no JSON at all. The client survives all of that: \`error.code\` is then \`unknown\`, and
\`error.status\` is the HTTP status.

${sections.join('\n\n')}
`
}

const typeOf = (schema: JsonObject): string => {
  const { $ref, anyOf, const: only, enum: values, type = 'anything' } = schema
  if ($ref !== undefined) return 'object'
  if (Array.isArray(anyOf)) return anyOf.map(typeOf).join(' or ')
  if (Array.isArray(values))
    return values.map((value) => (value === '' ? 'empty' : `\`${value}\``)).join(', ')
  if (only !== undefined) return `\`${only}\``
  return type === 'array' ? 'list of strings' : [type].flat().join(' or ')
}

const schemas = jsonSchemas()

/** The type of a field by a schema, and whether it is always there; empty when the schema does not have it. */
const column = (schemaName: string, field: string): string => {
  const { properties = {}, required = [] } = Object(schemas[schemaName])
  const property = properties[field]
  return property === undefined ? '–' : `${typeOf(property)}${required.includes(field) ? '' : ', optional'}`
}

const eventSection = (name: EventName, described: Described): string => {
  const { description = '', fields = {} } = described[schemaNameOf(name)] ?? {}
  const isSent = isEmittedEventName(name)
  const rows = Object.keys(eventSchemas[name].shape).map((field) => [
    `\`${field}\``,
    ...(isSent ? [column(schemaNameOf(name), field)] : []),
    column(`Received${schemaNameOf(name)}`, field),
    fields[field] ?? '',
  ])
  const heads = ['field', ...(isSent ? ['sent'] : []), 'accepted', 'meaning']
  return `## ${name}\n\n${description}\n\n${table(heads, rows)}\n\n${json(eventExamples[name])}`
}

/** The page `docs/events.md`. */
export const eventsPage = (described: Described): string => `${notice}
# Events

Each event is one JSON object, sent by POST to every subscription of the number that it concerns. \`WebhookEvent\` is
the union of all of them, discriminated on \`event\`.

The tables tell two things apart. **Sent** is what the reference server sends: nothing is null unless it says so,
timestamps are ISO 8601 in UTC with milliseconds, and \`from\` equals \`channelNumber\` as \`to\` equals \`customerNumber\`. A field
that does not apply is absent. **Accepted** is what parsing accepts from any service of this interface, which may say
"unset" with an empty string, 0 or null, may leave a field out, and writes timestamps in any form of ISO 8601. Fields
that are in neither survive parsing: \`extraFields(event)\` reads them.

For one call the order is CALL_INCOMING_INITIATED or CALL_OUTGOING_INITIATED, then CALL_ACCEPTED, CALL_ENDED and, once
the summary has been saved, CALL_AI_SUMMARY. The last three events of this page were seen on a live service, and the
reference server never sends them. Their fields, and those with no type here, are not part of the specification.

${eventNames.map((name) => eventSection(name, described)).join('\n\n')}
`
