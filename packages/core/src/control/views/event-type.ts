import { Channel, type EventName, eventNames } from '@wabakit/contract'
import { createJsonSchemas, eventExamples, toSchemaName } from '@wabakit/contract/documents'
import * as z from 'zod/mini'
import { named } from '../schemas.ts'

export const EventTypeView = named(
  'EventType',
  'An event of the service: the networks that it occurs on, what it reports, a sample payload, and the JSON Schema of payloads. A test event needs only `name`; `example` is a start for a payload.',
  z.object({
    name: z.string(),
    channels: z.array(Channel),
    subject: z.enum(['call', 'group']),
    description: z.string(),
    example: z.record(z.string(), z.unknown()),
    schema: z.record(z.string(), z.unknown()),
  }),
)

/** Events that are not sent about calls through the telephone network. */
const onlyWhatsApp: readonly EventName[] = ['CALL_REJECTED', 'CALL_NOT_PICKED']

/** Lists the events of the service. */
export const listEventTypes = (): z.input<typeof EventTypeView>[] => {
  const schemas = createJsonSchemas()
  return eventNames.map((name) => {
    const subject = name.startsWith('CALL_') ? 'call' : 'group'
    const schema = schemas[toSchemaName(name)] ?? schemas[`Received${toSchemaName(name)}`] ?? {}
    return {
      name,
      channels: subject === 'group' || onlyWhatsApp.includes(name) ? ['WHATSAPP'] : ['PSTN', 'WHATSAPP'],
      subject,
      description: String(schema.description ?? ''),
      example: { ...eventExamples[name] },
      schema: { ...schema },
    }
  })
}
