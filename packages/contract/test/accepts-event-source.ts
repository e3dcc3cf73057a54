import type * as z from 'zod/mini'
import { dateTime, dateTimeOrEmpty } from '../src/date-time.ts'
import { type EventName, eventSchemas } from '../src/webhook-event.ts'

// The exported names come from the generated file, so they cannot be used here.
const isEventName = (name: string): name is EventName => Object.hasOwn(eventSchemas, name)
const eventNames = Object.keys(eventSchemas).filter(isEventName)

const patternNames: ReadonlyMap<unknown, string> = new Map([
  [dateTime, 'dateTime'],
  [dateTimeOrEmpty, 'dateTimeOrEmpty'],
])

const formatIsText = (at: string) => `typeof ${at} === 'string'`

const formatText = (at: string, { minimum, patterns, ...others }: Record<string, unknown>): string => {
  const [pattern, ...more] = patterns instanceof Set ? patterns : []
  const known = more.length === 0 && (pattern === undefined || patternNames.has(pattern))
  if (!known || Object.keys(others).length > 0)
    throw new Error(`The generator does not support a rule of ${at}. Extend accepts-event-source.ts.`)
  const rules = [minimum === 1 && `${at} !== ''`, pattern && `${patternNames.get(pattern)}.test(${at})`]
  return [formatIsText(at), ...rules].filter(Boolean).join(' && ')
}

const formatChoices = (at: string, values: readonly unknown[]): string => {
  const choices = values.map((value) => `${at} === '${value}'`)
  return choices.length === 1 ? choices.join() : `(${choices.join(' || ')})`
}

// An empty string when every value is valid.
const formatCondition = (at: string, schema: z.core.$ZodType): string => {
  const { def, bag } = (schema as z.core.$ZodTypes)._zod
  if ((def.checks?.length ?? 0) > (def.type === 'string' ? 1 : 0))
    throw new Error(`The generator does not support a rule of ${at}. Extend accepts-event-source.ts.`)
  switch (def.type) {
    case 'string':
      return formatText(at, bag)
    case 'number':
      return `Number.isFinite(${at})`
    case 'literal':
      return formatChoices(at, def.values)
    case 'enum':
      return formatChoices(at, Object.values(def.entries))
    case 'array':
      if (formatCondition('item', def.element) !== formatIsText('item')) break
      return `isTexts(${at})`
    case 'optional':
      return formatOptional(at, 'undefined', def.innerType)
    case 'nullable':
      return formatOptional(at, 'null', def.innerType)
    case 'object':
      return `isObject(${at}) && ${formatConditions(at, def.shape)}`
  }
  throw new Error(
    `The generator does not support the type ${def.type} of ${at}. Extend accepts-event-source.ts.`,
  )
}

const formatOptional = (at: string, absence: 'undefined' | 'null', schema: z.core.$ZodType): string => {
  if (schema._zod.def.type === 'unknown') return ''
  const rest = formatCondition(at, schema)
  return rest.startsWith(`(${at} === null || `)
    ? rest.replace('===', '==')
    : `(${at} === ${absence} || ${rest})`
}

const formatConditions = (at: string, shape: z.core.$ZodShape): string =>
  Object.entries(shape)
    .map(([name, schema]) => formatCondition(`${at}.${name}`, schema))
    .filter(Boolean)
    .join(' &&\n  ')

const toCamelCase = (name: string) =>
  name.toLowerCase().replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase())

/** Generates `accepts-event.ts` from the event schemas: one condition per field. */
export const generateAcceptsEvent = (): string => {
  const named = new Map<string, string>()
  const entries = eventNames.map((name) => {
    const { event: _, ...shape } = eventSchemas[name].shape
    const body = formatConditions('value', shape)
    const rest = named.get(body) ?? `${toCamelCase(name)}Fields`
    named.set(body, rest)
    return `  ${name}: ${rest},\n`
  })
  const functions = [...named].map(
    ([body, name]) => `\nconst ${name} = (value: Fields): boolean =>\n  ${body}\n`,
  )
  return `// Generated from the schemas by accepts-event.test.ts. Update with "npx vitest run packages/contract -u".
// biome-ignore-all format: generated
import { dateTime, dateTimeOrEmpty } from './date-time.ts'
import type { EventName } from './webhook-event.ts'

type Fields = Record<string, unknown>

/** Checks whether a value is an object without a key named __proto__, which the schemas drop. */
export const isObject = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !Object.hasOwn(value, '__proto__')

const isTexts = (value: unknown): boolean => Array.isArray(value) && value.every((item) => ${formatIsText('item')})
${functions.join('')}
/**
 * Conditions on the fields of each event, except \`event\`. Each accepts what the event's schema accepts, several times faster.
 * The schema would return an accepted value unchanged.
 */
export const acceptsFields: { readonly [Name in EventName]: (value: Fields) => boolean } = {
${entries.join('')}}
`
}
