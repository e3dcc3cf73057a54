import type * as z from 'zod/mini'
import { dateTime, dateTimeOrEmpty } from '../src/date-time.ts'
import { type EventName, eventSchemas } from '../src/webhook-event.ts'

// The exported names come from the generated file, so they cannot be used here.
const isEventName = (name: string): name is EventName => Object.hasOwn(eventSchemas, name)
const eventNames = Object.keys(eventSchemas).filter(isEventName)

const patterns: ReadonlyMap<unknown, string> = new Map([
  [dateTime, `matching(dateTime, 'an ISO 8601 date-time')`],
  [dateTimeOrEmpty, `matching(dateTimeOrEmpty, 'an ISO 8601 date-time, or empty when unset')`],
])

const formatTextRule = ({ minimum, patterns: own, ...others }: Record<string, unknown>): string => {
  const [pattern, ...more] = own instanceof Set ? own : []
  const rule = pattern === undefined ? (minimum === 1 ? 'nonEmpty' : 'text') : patterns.get(pattern)
  if (rule === undefined || more.length > 0 || Object.keys(others).length > 0) {
    throw new Error('The generator does not support a rule of a string. Extend event-rules-source.ts.')
  }
  return rule
}

// `undefined` when every value is valid.
const formatRule = (schema: z.core.$ZodType): string | undefined => {
  const { def, bag } = (schema as z.core.$ZodTypes)._zod
  switch (def.type) {
    case 'unknown':
      return undefined
    case 'string':
      return formatTextRule(bag)
    case 'number':
      return 'number'
    case 'literal':
      return `oneOf(${def.values.map((value) => `'${value}'`).join(', ')})`
    case 'enum':
      return `oneOf(${Object.values(def.entries)
        .map((value) => `'${value}'`)
        .join(', ')})`
    case 'array':
      if (formatRule(def.element) !== 'text') break
      return 'texts'
    case 'nullable':
      return wrapRule('nullish', def.innerType)
    case 'optional':
      return def.innerType._zod.def.type === 'nullable'
        ? formatRule(def.innerType)
        : wrapRule('optional', def.innerType)
    case 'object':
      return `object({ ${formatFields(def.shape).join(', ')} })`
  }
  throw new Error(`The generator does not support the type ${def.type}. Extend event-rules-source.ts.`)
}

const wrapRule = (wrapper: string, schema: z.core.$ZodType): string | undefined => {
  const rule = formatRule(schema)
  return rule && `${wrapper}(${rule})`
}

const formatFields = (shape: z.core.$ZodShape): string[] =>
  Object.entries(shape).flatMap(([name, schema]) => {
    const rule = formatRule(schema)
    return rule === undefined ? [] : [`${name}: ${rule}`]
  })

const toCamelCase = (name: string) =>
  name.toLowerCase().replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase())

/** Generates `event-rules.ts` from the event schemas: one rule per field. */
export const generateEventRules = (): string => {
  const named = new Map<string, string>()
  const entries = eventNames.map((name) => {
    const { event: _, ...shape } = eventSchemas[name].shape
    const body = formatFields(shape).join(',\n  ')
    const rest = named.get(body) ?? `${toCamelCase(name)}Rules`
    named.set(body, rest)
    return `  ${name}: ${rest},\n`
  })
  const functions = [...named].map(([body, name]) => `\nconst ${name} = () => ({\n  ${body},\n})\n`)
  return `// Generated from the schemas by accepts-event.test.ts. Update with "npx vitest run packages/contract -u".
// biome-ignore-all format: generated
import { dateTime, dateTimeOrEmpty } from './date-time.ts'
import { type EventRules, matching, nonEmpty, nullish, number, object, oneOf, optional, text, texts } from './event-rule.ts'
import type { EventName } from './webhook-event.ts'
${functions.join('')}
/** Rules of the fields of each event, except \`event\`. They find the same issues as its schema, without zod. */
export const eventRules: { readonly [Name in EventName]: () => EventRules } = {
${entries.join('')}}
`
}
