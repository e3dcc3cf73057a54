import { type Operation, operations } from '@wabakit/core/control'
import { type Command, InvalidArgumentError, Option } from 'commander'
import * as z from 'zod/mini'
import { createNumberParser } from './options.ts'

/** A command option and the request field that it sets. */
export type FieldOption = { readonly field: string; readonly option: Option }

type Schema = Pick<z.core.JSONSchema.JSONSchema, 'type' | 'enum' | 'const' | 'description' | 'format'> & {
  readonly anyOf?: readonly Schema[]
  readonly items?: Schema
}

/** Descriptions of fields whose defaults differ on the command line. */
const descriptions: Readonly<Record<string, string>> = {
  limit: 'maximum number of records (default: 50)',
  order: 'which records come first (default: newest_first)',
}

/** Parses a value that is a number or a word, such as `always`. */
const parseNumberOrWord = (text: string): number | string =>
  text.trim() !== '' && Number.isFinite(Number(text)) ? Number(text) : text

const parseNumber = createNumberParser('a number', Number.isFinite)

const parseBoolean = (text: string): boolean => {
  if (text === 'true' || text === 'false') return text === 'true'
  throw new InvalidArgumentError('It must be true or false.')
}

const parseTime = (text: string): string => {
  // `Date.parse` alone would also accept other forms, such as `5` for May 2001.
  const time = /^\d{4}-\d\d-\d\d(?:T|$)/.test(text) ? Date.parse(text) : Number.NaN
  if (Number.isNaN(time)) throw new InvalidArgumentError('It must be an ISO 8601 date-time.')
  return new Date(time).toISOString()
}

/** Splits a string at its commas, except for the word `all`. */
const parseList = (text: string): string | string[] => (text === 'all' ? text : text.split(','))

/** Returns a schema for each type that a value may have. */
const flatten = (schema: Schema): readonly Schema[] => {
  const { anyOf, type } = schema
  if (anyOf) return anyOf.flatMap(flatten)
  return Array.isArray(type) ? type.map((each) => ({ ...schema, type: each })) : [schema]
}

const isText = ({ type, enum: values, const: value }: Schema): boolean =>
  type === 'string' || values !== undefined || typeof value === 'string'

const listChoices = (schemas: readonly Schema[]): string[] =>
  schemas.flatMap<unknown>((each) => each.enum ?? (each.const === undefined ? [] : [each.const])).map(String)

/** Turns a sentence from the OpenAPI document into a phrase for a command's help. */
export const toPhrase = (sentence: string): string =>
  sentence
    .replaceAll('`', '')
    .replace(/^[A-Z](?=[a-z ])/, (letter) => letter.toLowerCase())
    .replace(/\.$/, '')

/** Creates a field's option. Returns `undefined` for an object or a list of objects, which `--set` sets. */
const createFieldOption = (field: string, schema: Schema): Option | undefined => {
  const name = `--${field.replaceAll(/(?=[A-Z])/g, '-').toLowerCase()}`
  const forms = flatten(schema).filter(({ type }) => type !== 'null')
  const description = toPhrase(descriptions[field] ?? schema.description ?? '')
  const has = (type: string): boolean => forms.some((each) => each.type === type)
  if (has('array') && !forms.some((each) => each.items?.type === 'object')) {
    return new Option(`${name} <values>`, `${description}, separated by commas`).argParser(parseList)
  }
  if (has('object') || has('array')) return undefined
  if (forms.length > 0 && forms.every(({ type }) => type === 'boolean')) {
    return new Option(`${name} [boolean]`, description).argParser(parseBoolean).preset('true')
  }
  if (forms.every((each) => each.const === true)) return new Option(name, description)
  if (has('number') || has('integer')) {
    const option = new Option(`${name} <number>`, description)
    return option.argParser(forms.some(isText) ? parseNumberOrWord : parseNumber)
  }
  if (forms.some(({ format }) => format === 'date-time')) {
    return new Option(`${name} <time>`, description).argParser(parseTime)
  }
  const choices = listChoices(forms)
  const option = new Option(`${name} <text>`, description)
  return choices.length > 0 && choices.length <= 8 ? option.choices(choices) : option
}

export const findOperation = (id: string): Operation => {
  const found = operations.find((operation) => operation.id === id)
  if (found === undefined) throw new TypeError(`There is no operation ${id}.`)
  return found
}

const toProperties = (schema: z.core.$ZodType | undefined): Readonly<Record<string, Schema>> => {
  if (schema === undefined) return {}
  const { properties = {}, required = [] } = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' })
  const fields = Object.entries(properties as Readonly<Record<string, Schema>>)
  return Object.fromEntries(
    fields.map(([name, { description = '', ...field }]) => [
      name,
      {
        ...field,
        description: required.includes(name)
          ? `${description.replace(/\.$/, '')} (required)`.trim()
          : description,
      },
    ]),
  )
}

/** Lists the fields of an operation's query and body. */
export const listFields = (operation: Operation): string[] =>
  Object.keys({ ...toProperties(operation.query), ...toProperties(operation.body) })

/** Returns options for the fields of an operation's query and body except `cursor`, and the fields that only `--set` sets. */
export const listFieldOptions = (operation: Operation): { options: FieldOption[]; others: string[] } => {
  const { cursor: _, ...fields } = { ...toProperties(operation.query), ...toProperties(operation.body) }
  const options = Object.entries(fields).flatMap(([field, schema]) => {
    const option = createFieldOption(field, schema)
    return option === undefined ? [] : [{ field, option }]
  })
  const others = Object.keys(fields).filter((name) => !options.some(({ field }) => field === name))
  return { options, others }
}

export const readFields = (command: Command, options: readonly FieldOption[]): Record<string, unknown> => {
  const values = options.map(({ field, option }) => [field, command.getOptionValue(option.attributeName())])
  return Object.fromEntries(values.filter(([, value]) => value !== undefined))
}

export const listPathParameters = ({ path }: Operation): string[] =>
  [...path.matchAll(/:(\w+)/g)].flatMap(([, name = '']) => (name === 'organizationId' ? [] : [name]))
