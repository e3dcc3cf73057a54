import { dateTime, dateTimeOrEmpty, storableText } from '@wabakit/wire/check'
import type * as z from 'zod/mini'
import * as checks from '../../wire/src/check.ts'
import { CreateGroupRequest, CreateGroupResponse } from '../src/create-group.ts'
import { ReceivedErrorBody } from '../src/error-body.ts'
import { SummaryRecord } from '../src/summary.ts'
import { eventSchemas } from '../src/webhook-event.ts'

/** The schemas of the bodies that a client sends or receives. */
export const bodySchemas = { CreateGroupRequest, CreateGroupResponse, SummaryRecord, ReceivedErrorBody }

const unsupported = (what: string) =>
  new Error(`The generator does not support ${what}. Extend checks-source.ts.`)

const toPascalCase = (text: string): string => {
  const words = text === text.toUpperCase() ? text.toLowerCase() : text
  return words.replaceAll(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase())
}

/** The source of a check, and a name for it. */
type Formatted = { readonly name: string; readonly source: string }

const toFormatted = (name: string, source = name): Formatted => ({ name, source })

const formatText = ({
  minimum,
  maximum,
  patterns,
  form: _,
  ...others
}: Record<string, unknown>): Formatted => {
  const [pattern, ...more] = patterns instanceof Set ? patterns : []
  if (more.length > 0 || Object.keys(others).length > 0) throw unsupported('a rule of a string')
  if (pattern === storableText) {
    const rules = [minimum && `min: ${minimum}`, maximum && `max: ${maximum}`].filter(Boolean)
    return toFormatted('isStorable', `storable({ ${rules.join(', ')} })`)
  }
  if (maximum !== undefined) throw unsupported('a maximum length')
  if (pattern === undefined) return toFormatted(minimum ? 'isNonEmpty' : 'isText')
  if (pattern === dateTime) return toFormatted('isDateTime')
  if (pattern === dateTimeOrEmpty) return toFormatted('isDateTimeOrEmpty')
  throw unsupported(`the pattern ${pattern}`)
}

const formatChoice = (values: readonly unknown[]): Formatted => {
  const name = values.map((value) => toPascalCase(value === '' ? 'empty' : `${value}`)).join('Or')
  const list = values.map((value) => (typeof value === 'string' ? `'${value}'` : value)).join(', ')
  return toFormatted(`is${name}`, `oneOf(${list})`)
}

const listUnion = (schema: z.core.$ZodType): readonly z.core.$ZodType[] => {
  const { def } = (schema as z.core.$ZodTypes)._zod
  return def.type === 'union' ? def.options : [schema]
}

const formatCheck = (schema: z.core.$ZodType): Formatted => {
  const { def, bag } = (schema as z.core.$ZodTypes)._zod
  // The rules of a string are in its bag. A union with `unknown` has the check of `unchecked`, and a nullable that of `unset`.
  if (def.checks?.length && !['string', 'union', 'nullable'].includes(def.type))
    throw unsupported(`a check of the type ${def.type}`)
  switch (def.type) {
    case 'string':
      return formatText(bag)
    case 'number':
      return toFormatted('isNumber')
    case 'boolean':
      return toFormatted('isBoolean')
    case 'literal':
      return formatChoice(def.values)
    case 'enum':
      return formatChoice(Object.values(def.entries))
    case 'array': {
      const { name, source } = formatCheck(def.element)
      return toFormatted(`${name}s`.replace('is', 'are'), `array(${source})`)
    }
    case 'object':
      return toFormatted('isObject', `object({ ${formatTable(def.shape).join(', ')} })`)
    case 'optional': {
      const inner = formatCheck(def.innerType)
      if (/^(?:nullish|unset)\(/.test(inner.source)) return inner
      return toFormatted(`${inner.name}OrAbsent`, `optional(${inner.source})`)
    }
    case 'nullable': {
      const { name, source } = formatCheck(def.innerType)
      if (def.checks?.length) return toFormatted(`${name}OrUnset`, `unset(${source})`)
      return toFormatted(`${name}OrNull`, `nullish(${source})`)
    }
    case 'union': {
      if (def.options.at(-1)?._zod.def.type !== 'unknown') break
      const options = def.options.slice(0, -1).flatMap(listUnion).map(formatCheck)
      const name = options.map((option) => option.name).join('Or')
      return toFormatted(`${name}OrLeftOut`, `unchecked(${options.map(({ source }) => source).join(', ')})`)
    }
  }
  throw unsupported(`the type ${def.type}`)
}

/** Formats an object's fields as a table, which is small. */
const formatTable = (shape: z.core.$ZodShape): string[] =>
  Object.entries(shape).map(([name, schema]) => `${name}: ${formatCheck(schema).source}`)

/** Checks that are created once for all fields, by their sources. */
const shared = new Map<string, string>()

/** Formats an object's fields as calls, which are fast. */
const formatCalls = (shape: z.core.$ZodShape, at: string, path = ''): string[] =>
  Object.entries(shape).flatMap(([field, schema]) => {
    const { def } = (schema as z.core.$ZodTypes)._zod
    const given = `(${at}.${field}, '${path}${field}', report)`
    if (def.type === 'object') {
      const lines = formatCalls(def.shape, `${at}.${field}`, `${path}${field}.`)
      return [`if (isObject${given}) {`, ...lines.map((line) => `  ${line}`), '}']
    }
    const { name, source } = formatCheck(schema)
    if (name !== source) shared.set(source, name)
    return `${name}${given}`
  })

type CheckFunction = { readonly name: string; readonly lines: readonly string[] }

/** Formats a function for each event. Events with the same fields, or the same first ones, share them. */
const formatEvents = () => {
  const known: CheckFunction[] = []
  const functions: string[] = []
  const entries = Object.entries(eventSchemas).map(([event, { shape }]) => {
    const { event: _, ...others }: z.core.$ZodShape = shape
    const lines = formatCalls(others, 'value')
    const base = known.findLast(({ lines: first }) => first.every((line, index) => line === lines[index]))
    if (base?.lines.length === lines.length) return `  ${event}: ${base.name},\n`
    const name = `check${toPascalCase(event)}`
    known.push({ name, lines })
    const own = [...(base ? [`${base.name}(value, report)`] : []), ...lines.slice(base?.lines.length ?? 0)]
    functions.push(`\nconst ${name} = (value: Fields, report: Report): void => {\n  ${own.join('\n  ')}\n}\n`)
    return `  ${event}: ${name},\n`
  })
  return { functions: functions.join(''), entries: entries.join('') }
}

/** A bundler drops a call, and each one inside it, only if it is marked. */
const markPure = (source: string): string => source.replaceAll(/\w+\(/g, '/* @__PURE__ */ $&')

/** Formats a function for each body. Their fields are tables, because nobody needs them to be fast. */
const formatBodies = (): string =>
  Object.entries(bodySchemas)
    .map(([name, { shape }]) => {
      const fields = formatTable(shape as z.core.$ZodShape).map((field) => `  ${markPure(field)},\n`)
      return `
/** Validates a {@link ${name}} like its schema, but without zod. */
export const validate${name}: (value: unknown) => Validation<${name}> = /* @__PURE__ */ createValidator({
${fields.join('')}})
`
    })
    .join('')

/** Generates `checks.ts` of the package `wire` from the schemas of the events and bodies: one line per field. */
export const generateChecks = (): string => {
  const events = formatEvents()
  const constants = [...shared].map(([source, name]) => `const ${name}: Check = ${markPure(source)}\n`)
  const bodies = formatBodies()
  const code = [...constants, events.functions, bodies].join('')
  const used = Object.keys(checks).filter((name) => new RegExp(`\\b${name}\\b`).test(code))
  const imports = ['type Check', 'type Fields', 'type Report', ...used].sort((left, right) =>
    left.replace('type ', '').localeCompare(right.replace('type ', '')),
  )
  return `// Generated from the schemas by validate-event.test.ts. Update with "npx vitest run packages/contract -u".
// biome-ignore-all format: generated
import { ${imports.join(', ')} } from './check.ts'
import type { CreateGroupRequest, CreateGroupResponse } from './create-group.ts'
import type { ReceivedErrorBody } from './error-body.ts'
import type { SummaryRecord } from './summary.ts'
import type { Validation } from './validation.ts'
import type { EventName } from './webhook-event.ts'

${constants.join('')}${events.functions}
/** Checks the fields of each event, except \`event\`, like its schema. */
export const eventChecks: { readonly [Name in EventName]: (value: Fields, report: Report) => void } = {
${events.entries}}
${bodies}`
}
