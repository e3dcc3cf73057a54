import type * as z from 'zod/mini'
import { dateTime, dateTimeOrEmpty } from '../src/date-time.ts'
import { type EventName, eventSchemas } from '../src/webhook-event.ts'

// Not the exported names, which are read from what is written here.
const isEventName = (name: string): name is EventName => Object.hasOwn(eventSchemas, name)
const eventNames = Object.keys(eventSchemas).filter(isEventName)

const patterns: ReadonlyMap<unknown, string> = new Map([
  [dateTime, `matching(dateTime, 'an ISO 8601 date-time')`],
  [dateTimeOrEmpty, `matching(dateTimeOrEmpty, 'an ISO 8601 date-time, or empty when unset')`],
])

const textRule = ({ minimum, patterns: own, ...others }: Record<string, unknown>): string => {
  const [pattern, ...more] = own instanceof Set ? own : []
  const rule = pattern === undefined ? (minimum === 1 ? 'nonEmpty' : 'text') : patterns.get(pattern)
  if (rule === undefined || more.length > 0 || Object.keys(others).length > 0) {
    throw new Error('A rule of a text cannot be written here yet.')
  }
  return rule
}

/** The rule of a schema: `undefined` when anything will do. */
const ruleOf = (schema: z.core.$ZodType): string | undefined => {
  const { def, bag } = (schema as z.core.$ZodTypes)._zod
  switch (def.type) {
    case 'unknown':
      return undefined
    case 'string':
      return textRule(bag)
    case 'number':
      return 'number'
    case 'literal':
      return `oneOf(${def.values.map((value) => `'${value}'`).join(', ')})`
    case 'enum':
      return `oneOf(${Object.values(def.entries)
        .map((value) => `'${value}'`)
        .join(', ')})`
    case 'array':
      if (ruleOf(def.element) !== 'text') break
      return 'texts'
    case 'nullable':
      return wrapped('nullish', def.innerType)
    case 'optional':
      return def.innerType._zod.def.type === 'nullable'
        ? ruleOf(def.innerType)
        : wrapped('optional', def.innerType)
    case 'object':
      return `object({ ${fieldsOf(def.shape).join(', ')} })`
  }
  throw new Error(`A schema of the type ${def.type} cannot be written here yet.`)
}

const wrapped = (wrapper: string, schema: z.core.$ZodType): string | undefined => {
  const rule = ruleOf(schema)
  return rule && `${wrapper}(${rule})`
}

const fieldsOf = (shape: z.core.$ZodShape): string[] =>
  Object.entries(shape).flatMap(([name, schema]) => {
    const rule = ruleOf(schema)
    return rule === undefined ? [] : [`${name}: ${rule}`]
  })

const camelCase = (name: string) =>
  name.toLowerCase().replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase())

/** The source of `event-rules.ts`: one rule per field, read from the definitions of the event schemas. */
export const eventRulesSource = (): string => {
  const named = new Map<string, string>()
  const entries = eventNames.map((name) => {
    const { event: _, ...shape } = eventSchemas[name].shape
    const body = fieldsOf(shape).join(',\n  ')
    const rest = named.get(body) ?? `${camelCase(name)}Rules`
    named.set(body, rest)
    return `  ${name}: () => object({ event: oneOf('${name}'), ...${rest}() }),\n`
  })
  const functions = [...named].map(([body, name]) => `\nconst ${name} = () => ({\n  ${body},\n})\n`)
  return `// Written from the schemas by accepts-event.test.ts; "vitest run packages/contract -u" writes it again.
// biome-ignore-all format: written by a program
import { dateTime, dateTimeOrEmpty } from './date-time.ts'
import { type EventRule, matching, nonEmpty, nullish, number, object, oneOf, optional, text, texts } from './event-rule.ts'
import type { EventName } from './webhook-event.ts'
${functions.join('')}
/** What each event must be, to tell in sentences what does not fit: what its schema would say, without zod. */
export const eventRules: { readonly [Name in EventName]: () => EventRule } = {
${entries.join('')}}
`
}
