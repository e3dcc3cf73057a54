import type * as z from 'zod/mini'
import { CreateGroupRequest, CreateGroupResponse } from '../src/create-group.ts'
import { dateTime, dateTimeOrEmpty } from '../src/date-time.ts'
import { ReceivedErrorBody } from '../src/error-body.ts'
import { SummaryRecord } from '../src/summary.ts'
import { storableText } from '../src/text-rules.ts'
import { shareFields } from './shared-fields.ts'

/** The schemas of {@link Bodies}. */
export const bodySchemas = {
  CreateGroupRequest,
  CreateGroupResponse,
  SummaryRecord,
  ReceivedErrorBody,
}

const patternNames: ReadonlyMap<unknown, string> = new Map([
  [dateTime, 'dateTime'],
  [dateTimeOrEmpty, 'dateTimeOrEmpty'],
  [storableText, 'storableText'],
])

const formatText = ({ minimum, maximum, patterns, form, ...others }: Record<string, unknown>): string => {
  const [pattern, ...more] = patterns instanceof Set ? patterns : []
  const name = patternNames.get(pattern)
  if ((pattern && !name) || more.length > 0 || Object.keys(others).length > 0)
    throw new Error('The generator does not support a rule of a string. Extend rules-source.ts.')
  const rules = [
    minimum && `min: ${minimum}`,
    maximum && `max: ${maximum}`,
    name && `pattern: ${name}, form: '${form}'`,
  ].filter(Boolean)
  return rules.length === 0 ? 'text()' : `text({ ${rules.join(', ')} })`
}

const formatValues = (values: readonly unknown[]): string =>
  `oneOf(${values.map((value) => (typeof value === 'string' ? `'${value}'` : String(value))).join(', ')})`

const formatRule = (schema: z.core.$ZodType): string => {
  const { def, bag } = (schema as z.core.$ZodTypes)._zod
  // The checks of a string are in its bag. A union with `unknown` has the check of `unchecked`.
  if (def.checks?.length && def.type !== 'string' && def.type !== 'union')
    throw new Error(`The generator does not support a check of the type ${def.type}. Extend rules-source.ts.`)
  switch (def.type) {
    case 'string':
      return formatText(bag)
    case 'number':
    case 'boolean':
      return def.type
    case 'literal':
      return formatValues(def.values)
    case 'enum':
      return formatValues(Object.values(def.entries))
    case 'array':
      return `array(${formatRule(def.element)})`
    case 'union':
      return `either(${def.options.map(formatRule).join(', ')})`
    case 'unknown':
      return 'leaveOut'
    case 'nullable':
      return `nullish(${formatRule(def.innerType)})`
    case 'optional':
      return def.innerType._zod.def.type === 'nullable'
        ? formatRule(def.innerType)
        : `optional(${formatRule(def.innerType)})`
    case 'object':
      return `object({ ${formatFields(def.shape).join(', ')} })`
  }
  throw new Error(`The generator does not support the type ${def.type}. Extend rules-source.ts.`)
}

const formatFields = (shape: z.core.$ZodShape): string[] =>
  Object.entries(shape).map(([name, schema]) => `${name}: ${formatRule(schema)}`)

/** Generates `rules.ts` from the schemas of the events and bodies: one rule per field. */
export const generateRules = (): string => {
  const { functions, events } = shareFields('Rules', formatFields)
  const shared = functions.map(
    ({ name, base, lines }) =>
      `\nconst ${name} = () => ({\n  ${[...(base ? [`...${base}()`] : []), ...lines].join(',\n  ')},\n})\n`,
  )
  const entries = events.map(
    ({ event, name }) => `  ${event}: () => object({ event: oneOf('${event}'), ...${name}() }),\n`,
  )
  const bodies = Object.entries(bodySchemas).map(
    ([name, { shape }]) =>
      `  ${name}: () => object({\n    ${formatFields(shape as z.core.$ZodShape).join(',\n    ')},\n  }),\n`,
  )
  return `// Generated from the schemas by validate-event.test.ts. Update with "npx vitest run packages/contract -u".
// biome-ignore-all format: generated
import type { BodyName } from './bodies.ts'
import { dateTime, dateTimeOrEmpty } from './date-time.ts'
import { array, boolean, either, leaveOut, nullish, number, object, oneOf, optional, type Rule, text } from './rule.ts'
import { storableText } from './text-rules.ts'
import type { EventName } from './webhook-event.ts'
${shared.join('')}
/** Rules of each event. They parse it like its schema, without zod. */
export const eventRules: { readonly [Name in EventName]: () => Rule } = {
${entries.join('')}}

/** Rules of each body. They parse it like its schema, without zod. */
export const bodyRules: { readonly [Name in BodyName]: () => Rule } = {
${bodies.join('')}}
`
}
