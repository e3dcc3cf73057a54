import type { EventName, WebhookEventOf } from '@wabakit/wire'
import type { Rule } from '@wabakit/wire/definitions'
import * as z from 'zod/mini'
import { nonEmpty, storable, Timestamp, TimestampOrEmpty } from './text.ts'

/** A zod schema of an object. */
export interface ObjectSchema<Value> extends z.ZodMiniType<Value> {
  /** Schemas of the fields, by name. */
  readonly shape: { readonly [Field in keyof Value]-?: z.ZodMiniType }
}

/** Creates a schema for an optional string. An empty string and null mean that it is absent, and are dropped. */
const unset = () => {
  const keepSet = z.overwrite<string | null>((value) => (value || undefined) as string | null)
  return z.optional(z.nullable(z.string()).check(keepSet)) as unknown as z.ZodMiniOptional<z.ZodMiniString>
}

/**
 * Creates a schema for an optional field that no service guarantees: a value of another type is dropped, and
 * does not make the event invalid.
 */
const unchecked = <Schema extends z.core.$ZodType>(schema: Schema) => {
  const keepValid = z.overwrite((value) => (z.safeParse(schema, value).success ? value : undefined))
  // z.catch does the same, but adds 3 kB to a bundle.
  return z.optional(z.union([schema, z.unknown()]).check(keepValid)) as unknown as z.ZodMiniOptional<Schema>
}

/** The schema of each object, so that documents can reference an object that several others share. */
const objects = new WeakMap<Rule, z.ZodMiniType>()

const toShape = (fields: { readonly [name: string]: Rule }): { [name: string]: z.ZodMiniType } =>
  Object.fromEntries(Object.entries(fields).map(([name, rule]) => [name, toSchema(rule)]))

type RuleOf<Kind> = Rule & { readonly kind: Kind }

const builders: { readonly [Kind in Rule['kind']]: (rule: RuleOf<Kind>) => z.ZodMiniType } = {
  text: () => z.string(),
  nonEmpty,
  time: () => Timestamp,
  timeOrEmpty: () => TimestampOrEmpty,
  number: () => z.number(),
  boolean: () => z.boolean(),
  unset,
  storable,
  choice: ({ values }) => z.literal(values),
  open: ({ known, mayBeEmpty }) =>
    (mayBeEmpty ? z.string() : nonEmpty()).register(z.globalRegistry, { examples: [...known] }),
  list: ({ of }) => z.array(toSchema(of)),
  optional: ({ of }) => z.optional(toSchema(of)),
  nullable: ({ of }) => z.nullable(toSchema(of)),
  nullish: ({ of }) => z.nullish(toSchema(of)),
  unchecked: ({ of }) => unchecked(toSchema(of)),
  either: ({ options }) => z.union(options.map(toSchema)),
  object: (rule) => {
    const schema = objects.get(rule) ?? z.looseObject(toShape(rule.fields))
    objects.set(rule, schema)
    return schema
  },
}

const toSchema = <Kind extends Rule['kind']>(rule: RuleOf<Kind>): z.ZodMiniType => builders[rule.kind](rule)

/** Creates the schema of an object from its definition. Callers mark the call as pure, so that bundlers can drop it. */
export const createSchema = <Value>(rule: Rule<Value>): ObjectSchema<Value> =>
  toSchema(rule) as unknown as ObjectSchema<Value>

/** Creates the schema of an event from the definition of its other fields. */
export const createEventSchema = <Name extends EventName>(
  name: Name,
  rule: Rule<Omit<WebhookEventOf<Name>, 'event'>>,
): ObjectSchema<WebhookEventOf<Name>> => {
  const fields = rule.kind === 'object' ? rule.fields : {}
  const schema = z.looseObject({ event: z.literal(name), ...toShape(fields) })
  return schema as unknown as ObjectSchema<WebhookEventOf<Name>>
}
