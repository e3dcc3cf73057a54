import {
  callEventRules,
  createGroupRequestRule,
  createGroupResponseRule,
  groupEventRules,
  type Rule,
  receivedErrorBodyRule,
  summaryRecordRule,
} from '@wabakit/wire/definitions'
import * as checks from '../../wire/src/field-checks.ts'

/** The definitions of the bodies that a client sends or receives. */
const bodyRules = {
  CreateGroupRequest: createGroupRequestRule,
  CreateGroupResponse: createGroupResponseRule,
  SummaryRecord: summaryRecordRule,
  ReceivedErrorBody: receivedErrorBodyRule,
}

const toPascalCase = (text: string): string => {
  const words = text === text.toUpperCase() ? text.toLowerCase() : text
  return words.replaceAll(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase())
}

/** The source of a check, and a name for it. */
type Formatted = { readonly name: string; readonly source: string }

const toFormatted = (name: string, source = name): Formatted => ({ name, source })

const formatChoice = (values: readonly (string | true)[]): Formatted => {
  const name = values.map((value) => toPascalCase(`${value}`)).join('Or')
  return toFormatted(
    `is${name}`,
    `oneOf(${values.map((value) => (value === true ? value : `'${value}'`)).join(', ')})`,
  )
}

const formatCheck = (rule: Rule): Formatted => {
  switch (rule.kind) {
    case 'text':
    case 'nonEmpty':
    case 'number':
    case 'boolean':
      return toFormatted(`is${toPascalCase(rule.kind)}`)
    case 'time':
      return toFormatted('isDateTime')
    case 'timeOrEmpty':
      return toFormatted('isDateTimeOrEmpty')
    case 'unset':
      return toFormatted('isTextOrUnset', 'unset(isText)')
    case 'open':
      return toFormatted(rule.mayBeEmpty ? 'isText' : 'isNonEmpty')
    case 'storable': {
      const rules = [rule.min && `min: ${rule.min}`, rule.max && `max: ${rule.max}`].filter(Boolean)
      return toFormatted('isStorable', `storable({ ${rules.join(', ')} })`)
    }
    case 'choice':
      return formatChoice(rule.values)
    case 'list': {
      const { name, source } = formatCheck(rule.of)
      return toFormatted(`${name}s`.replace('is', 'are'), `array(${source})`)
    }
    case 'object':
      return toFormatted('isObject', `object({ ${formatTable(rule.fields).join(', ')} })`)
    case 'optional': {
      const { name, source } = formatCheck(rule.of)
      return toFormatted(`${name}OrAbsent`, `optional(${source})`)
    }
    case 'nullable': {
      const { name, source } = formatCheck(rule.of)
      return toFormatted(`${name}OrNull`, `nullable(${source})`)
    }
    case 'nullish': {
      const { name, source } = formatCheck(rule.of)
      return toFormatted(`${name}OrNullOrAbsent`, `nullish(${source})`)
    }
    case 'unchecked': {
      // The check of a field that may be null needs no further function for a field that may be absent.
      if (rule.of.kind === 'nullable') {
        const { name, source } = formatCheck({ ...rule.of, kind: 'nullish' })
        return toFormatted(`${name}OrLeftOut`, `unchecked(${source})`)
      }
      const options = (rule.of.kind === 'either' ? rule.of.options : [rule.of]).map(formatCheck)
      const name = options.map((option) => option.name).join('Or')
      const sources = options.map(({ source }) => source).join(', ')
      return toFormatted(`${name}OrLeftOutOrAbsent`, `optional(unchecked(${sources}))`)
    }
    case 'either':
      throw new Error('An alternative that is not unchecked needs a message. Extend checks-source.ts.')
  }
}

/** The rules of an object's fields. */
type Fields = { readonly [name: string]: Rule }

/** Formats an object's fields as a table, which is small. */
const formatTable = (fields: Fields): string[] =>
  Object.entries(fields).map(([name, rule]) => `${name}: ${formatCheck(rule).source}`)

/** Checks that are created once for all fields, by source. */
const shared = new Map<string, string>()

/** Formats an object's fields as calls, which are fast. */
const formatCalls = (fields: Fields, at: string, path = ''): string[] =>
  Object.entries(fields).flatMap(([field, rule]) => {
    const given = `(${at}.${field}, '${path}${field}', report)`
    if (rule.kind === 'object') {
      const lines = formatCalls(rule.fields, `${at}.${field}`, `${path}${field}.`)
      return [`if (isObject${given}) {`, ...lines.map((line) => `  ${line}`), '}']
    }
    const { name, source } = formatCheck(rule)
    if (name !== source) shared.set(source, name)
    return `${name}${given}`
  })

type CheckFunction = { readonly name: string; readonly lines: readonly string[] }

const listFields = (rule: Rule): Fields => (rule.kind === 'object' ? rule.fields : {})

/** Formats a function for each event. Events with the same fields, or the same leading fields, share them. */
const formatEvents = () => {
  const known: CheckFunction[] = []
  const functions: string[] = []
  const entries = Object.entries<Rule>({ ...groupEventRules, ...callEventRules }).map(([event, rule]) => {
    const lines = formatCalls(listFields(rule), 'value')
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

/** Formats the field that identifies a group event without a name: its time, which no other event has. */
const formatTimes = (): string =>
  Object.entries<Rule>(groupEventRules)
    .flatMap(([event, rule]) =>
      Object.entries(listFields(rule)).flatMap(([field, each]) =>
        each.kind === 'nullish' && each.of.kind === 'timeOrEmpty' ? `  ['${field}', '${event}'],\n` : [],
      ),
    )
    .join('')

/** A bundler drops a call, and each one inside it, only if it is marked. */
const markPure = (source: string): string => source.replaceAll(/\w+\(/g, '/* @__PURE__ */ $&')

/** Formats a function for each body. Their fields are tables, because they do not have to be fast. */
const formatBodies = (): string =>
  Object.entries<Rule>(bodyRules)
    .map(([name, rule]) => {
      const fields = formatTable(listFields(rule)).map((field) => `  ${markPure(field)},\n`)
      return `
/** Validates a {@link ${name}} as its schema does, but without zod. */
export const validate${name}: (value: unknown) => Validation<${name}> = /* @__PURE__ */ createValidator({
${fields.join('')}})
`
    })
    .join('')

/** Generates `checks.ts` of the package `wire` from the definitions of the events and bodies: one line per field. */
export const generateChecks = (): string => {
  const events = formatEvents()
  const constants = [...shared].map(([source, name]) => `const ${name}: Check = ${markPure(source)}\n`)
  const bodies = formatBodies()
  const code = [...constants, events.functions, bodies].join('')
  const used = Object.keys(checks).filter((name) => new RegExp(`\\b${name}\\b`).test(code))
  const imports = ['type Check', 'type Fields', 'type Report', ...used].sort((left, right) =>
    left.replace('type ', '').localeCompare(right.replace('type ', '')),
  )
  return `// Generated from the definitions by validate-event.test.ts. Update with "npx vitest run packages/contract -u".
// biome-ignore-all format: generated
import type { CreateGroupRequest, CreateGroupResponse } from './create-group.ts'
import type { ReceivedErrorBody } from './error-body.ts'
import { ${imports.join(', ')} } from './field-checks.ts'
import type { SummaryRecord } from './summary.ts'
import type { Validation } from './validation.ts'
import type { EventName } from './webhook-event.ts'

${constants.join('')}${events.functions}
/** Checks every field of an event except \`event\`, exactly as its schema does. */
export const eventChecks: { readonly [Name in EventName]: (value: Fields, report: Report) => void } = {
${events.entries}}

/** The field with the time of each group event. No other event has it, so it identifies an event without a name. */
export const timestampFields = [
${formatTimes()}] as const
${bodies}`
}
