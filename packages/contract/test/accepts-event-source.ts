import type * as z from 'zod/mini'
import { dateTime, dateTimeOrEmpty } from '../src/date-time.ts'
import { type EventName, eventSchemas } from '../src/webhook-event.ts'

// Not the exported names, which are read from what is written here.
const isEventName = (name: string): name is EventName => Object.hasOwn(eventSchemas, name)
const eventNames = Object.keys(eventSchemas).filter(isEventName)

const patternNames: ReadonlyMap<unknown, string> = new Map([
  [dateTime, 'dateTime'],
  [dateTimeOrEmpty, 'dateTimeOrEmpty'],
])

const isText = (at: string) => `typeof ${at} === 'string'`

const text = (at: string, { minimum, patterns, ...others }: Record<string, unknown>): string => {
  const [pattern, ...more] = patterns instanceof Set ? patterns : []
  const known = more.length === 0 && (pattern === undefined || patternNames.has(pattern))
  if (!known || Object.keys(others).length > 0) throw new Error(`Unknown rule of ${at}.`)
  const rules = [minimum === 1 && `${at} !== ''`, pattern && `${patternNames.get(pattern)}.test(${at})`]
  return [isText(at), ...rules].filter(Boolean).join(' && ')
}

const oneOf = (at: string, values: readonly unknown[]): string => {
  const choices = values.map((value) => `${at} === '${value}'`)
  return choices.length === 1 ? choices.join() : `(${choices.join(' || ')})`
}

/** The condition that a value must meet for a schema: empty when there is none. */
const condition = (at: string, schema: z.core.$ZodType): string => {
  const { def, bag } = (schema as z.core.$ZodTypes)._zod
  if ((def.checks?.length ?? 0) > (def.type === 'string' ? 1 : 0)) throw new Error(`Unknown rule of ${at}.`)
  switch (def.type) {
    case 'string':
      return text(at, bag)
    case 'number':
      return `Number.isFinite(${at})`
    case 'literal':
      return oneOf(at, def.values)
    case 'enum':
      return oneOf(at, Object.values(def.entries))
    case 'array':
      if (condition('item', def.element) !== isText('item')) break
      return `isTexts(${at})`
    case 'optional':
      return absentOr(at, 'undefined', def.innerType)
    case 'nullable':
      return absentOr(at, 'null', def.innerType)
    case 'object':
      return `isObject(${at}) && ${conditions(at, def.shape)}`
  }
  throw new Error(`Unknown type of ${at}: ${def.type}.`)
}

const absentOr = (at: string, absence: 'undefined' | 'null', schema: z.core.$ZodType): string => {
  if (schema._zod.def.type === 'unknown') return ''
  const rest = condition(at, schema)
  return rest.startsWith(`(${at} === null || `)
    ? rest.replace('===', '==')
    : `(${at} === ${absence} || ${rest})`
}

const conditions = (at: string, shape: z.core.$ZodShape): string =>
  Object.entries(shape)
    .map(([name, schema]) => condition(`${at}.${name}`, schema))
    .filter(Boolean)
    .join(' &&\n  ')

const camelCase = (name: string) =>
  name.toLowerCase().replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase())

/** The source of `accepts-event.ts`: one condition per field, read from the definitions of the event schemas. */
export const acceptsEventSource = (): string => {
  const named = new Map<string, string>()
  const entries = eventNames.map((name) => {
    const { event: _, ...shape } = eventSchemas[name].shape
    const body = conditions('value', shape)
    const rest = named.get(body) ?? `${camelCase(name)}Fields`
    named.set(body, rest)
    return `  ${name}: (value): value is WebhookEventOf<'${name}'> => isObject(value) && value.event === '${name}' && ${rest}(value),\n`
  })
  const functions = [...named].map(
    ([body, name]) => `\nconst ${name} = (value: Fields): boolean =>\n  ${body}\n`,
  )
  return `// Written from the schemas by accepts-event.test.ts; "vitest run packages/contract -u" writes it again.
// biome-ignore-all format: written by a program
import { dateTime, dateTimeOrEmpty } from './date-time.ts'
import type { EventName, WebhookEventOf } from './webhook-event.ts'

type Fields = Record<string, unknown>

// A key named __proto__ is left to the schema, which drops it.
const isObject = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !Object.hasOwn(value, '__proto__')

const isTexts = (value: unknown): boolean => Array.isArray(value) && value.every((item) => ${isText('item')})
${functions.join('')}
/**
 * Tells whether a value is the event of a name: what its schema would say, as straight-line code, because the schema
 * takes many times as long. A value that passes is what parsing would return.
 */
export const acceptsEvent: { readonly [Name in EventName]: (value: unknown) => value is WebhookEventOf<Name> } = {
${entries.join('')}}
`
}
