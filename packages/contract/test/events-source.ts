import { readFileSync } from 'node:fs'
import * as definitions from '@wabakit/wire/definitions'
import { toSchemaName } from '../src/documents/json-schemas.ts'

const readWire = (file: string): string =>
  readFileSync(new URL(`../../wire/src/${file}.ts`, import.meta.url), 'utf8')

const wire = ['group-events', 'call-events', 'call-ai-summary-event'].map(readWire).join('\n')

const findComment = (type: string): string => {
  const [, comment] = new RegExp(`(/\\*\\*(?:(?!\\*/)[^])*\\*/)\nexport type ${type} =`).exec(wire) ?? []
  if (comment === undefined) throw new Error(`${type} has no doc comment.`)
  return comment
}

const rules = { ...definitions.groupEventRules, ...definitions.callEventRules }

/** Finds the export name of an event's definition. Several events share one. */
const findRule = (event: string): string => {
  const rule: unknown = Reflect.get(rules, event)
  const [name] = Object.entries(definitions).find(([, value]) => value === rule) ?? []
  if (name === undefined) throw new Error(`definitions.ts does not export the definition of ${event}.`)
  return name
}

/** Generates `events.ts`: a schema and a type with the same name for each event. */
export const generateEvents = (): string => {
  // Not `eventNames`, which lacks a new event until its check has been generated.
  const names = Object.keys(rules) as (keyof typeof rules)[]
  const imported = [...new Set(names.map(findRule))].sort()
  const schemas = names.map((event) => {
    const type = toSchemaName(event)
    return `${findComment(type)}
export type ${type} = wire.${type}

/** Schema of {@link ${type}}. */
export const ${type}: ObjectSchema<${type}> = /* @__PURE__ */ createEventSchema('${event}', ${findRule(event)})
`
  })
  return `// Generated from the definitions by validate-event.test.ts. Update with "npx vitest run packages/contract -u".
// biome-ignore-all format: generated
import type * as wire from '@wabakit/wire'
import { ${imported.join(', ')} } from '@wabakit/wire/definitions'
import { createEventSchema, type ObjectSchema } from './schema.ts'

${schemas.join('\n')}
/**
 * Lenient schemas for receiving events, by name: first those of the specification, then those of live services.
 * {@link publishedEventSchemas} has the strict schemas for sending.
 */
export const eventSchemas: { readonly [Name in wire.EventName]: ObjectSchema<wire.WebhookEventOf<Name>> } = {
${names.map((event) => `  ${event}: ${toSchemaName(event)},`).join('\n')}
}
`
}
