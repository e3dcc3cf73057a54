import type * as z from 'zod/mini'
import { dateTime, dateTimeOrEmpty } from '../src/date-time.ts'
import { shareFields } from './shared-fields.ts'

const patternNames: ReadonlyMap<unknown, string> = new Map([
  [dateTime, 'dateTime'],
  [dateTimeOrEmpty, 'dateTimeOrEmpty'],
])

const formatIsText = (at: string) => `typeof ${at} === 'string'`

const formatText = (
  at: string,
  { minimum, patterns, form: _, ...others }: Record<string, unknown>,
): string => {
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

const formatCondition = (at: string, schema: z.core.$ZodType): string => {
  const { def, bag } = (schema as z.core.$ZodTypes)._zod
  if (def.checks?.length && def.type !== 'string' && def.type !== 'union')
    throw new Error(`The generator does not support a rule of ${at}. Extend accepts-event-source.ts.`)
  switch (def.type) {
    case 'string':
      return formatText(at, bag)
    case 'boolean':
      return `typeof ${at} === 'boolean'`
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
    case 'union': {
      const [first, ...others] = def.options
      // The check of `unchecked`: what is not of the first type is left out, so the event is not returned unchanged.
      if (!first || others.length !== 1 || others[0]?._zod.def.type !== 'unknown') break
      return formatCondition(at, first)
    }
    case 'object':
      return `isObject(${at}) && ${formatConditions(at, def.shape).join(' &&\n  ')}`
  }
  throw new Error(
    `The generator does not support the type ${def.type} of ${at}. Extend accepts-event-source.ts.`,
  )
}

const formatOptional = (at: string, absence: 'undefined' | 'null', schema: z.core.$ZodType): string => {
  const rest = formatCondition(at, schema)
  return rest.startsWith(`(${at} === null || `)
    ? rest.replace('===', '==')
    : `(${at} === ${absence} || ${rest})`
}

const formatConditions = (at: string, shape: z.core.$ZodShape): string[] =>
  Object.entries(shape).map(([name, schema]) => formatCondition(`${at}.${name}`, schema))

/** Generates `accepts-event.ts` from the event schemas: one condition per field. */
export const generateAcceptsEvent = (): string => {
  const { functions, events } = shareFields('Fields', (shape) => formatConditions('value', shape))
  const shared = functions.map(
    ({ name, base, lines }) =>
      `\nconst ${name} = (value: Fields): boolean =>\n  ${[...(base ? [`${base}(value)`] : []), ...lines].join(' &&\n  ')}\n`,
  )
  const entries = events.map(({ event, name }) => `  ${event}: ${name},\n`)
  return `// Generated from the schemas by validate-event.test.ts. Update with "npx vitest run packages/contract -u".
// biome-ignore-all format: generated
import { dateTime, dateTimeOrEmpty } from './date-time.ts'
import type { EventName } from './webhook-event.ts'

type Fields = Record<string, unknown>

/** Checks whether a value is an object without a key named __proto__, which the schemas drop. */
export const isObject = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !Object.hasOwn(value, '__proto__')

const isTexts = (value: unknown): boolean => Array.isArray(value) && value.every((item) => ${formatIsText('item')})
${shared.join('')}
/**
 * Conditions on the fields of each event, except \`event\`. Each accepts what the event's schema returns unchanged, several
 * times faster.
 */
export const acceptsFields: { readonly [Name in EventName]: (value: Fields) => boolean } = {
${entries.join('')}}
`
}
