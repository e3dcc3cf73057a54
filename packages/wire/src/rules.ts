/**
 * The form of a value. The rules of an event are next to its type. The generated checks, the contract's schemas and the
 * documents are all derived from them.
 */
type Form =
  | { readonly kind: 'text' | 'nonEmpty' | 'time' | 'timeOrEmpty' | 'number' | 'boolean' | 'unset' }
  | { readonly kind: 'storable'; readonly min: 0 | 1; readonly max?: number | undefined }
  | { readonly kind: 'choice'; readonly values: readonly (string | true)[] }
  | { readonly kind: 'open'; readonly known: readonly string[]; readonly mayBeEmpty: boolean }
  | { readonly kind: 'list' | 'optional' | 'nullable' | 'nullish' | 'unchecked'; readonly of: Rule }
  | { readonly kind: 'either'; readonly options: readonly Rule[] }
  | { readonly kind: 'object'; readonly fields: { readonly [name: string]: Rule } }

/** A rule. `value` exists only for the compiler: it carries the type of the accepted values. */
export type Rule<Value = unknown> = Form & { readonly value?: Value }

/** The rules of an object's fields. */
export type Rules<Value> = { readonly [Name in keyof Value]-?: Rule<Value[Name]> }

export const text: Rule<string> = { kind: 'text' }
export const nonEmpty: Rule<string> = { kind: 'nonEmpty' }
/** An ISO 8601 date-time. */
export const time: Rule<string> = { kind: 'time' }
export const timeOrEmpty: Rule<string> = { kind: 'timeOrEmpty' }
export const number: Rule<number> = { kind: 'number' }
export const boolean: Rule<boolean> = { kind: 'boolean' }
/** An optional string. An empty string and null mean that it is absent, and are dropped. */
export const unset: Rule<string | undefined> = { kind: 'unset' }

/** Text that every store can save. Lengths are in code points. */
export const storable = (min: 0 | 1, max?: number): Rule<string> => ({ kind: 'storable', min, max })

export const choice = <const Value extends string | true>(...values: readonly Value[]): Rule<Value> => ({
  kind: 'choice',
  values,
})

/** A string with known values, to which a service may add others. */
export const open = (...known: readonly string[]): Rule<string> => ({
  kind: 'open',
  known,
  mayBeEmpty: false,
})

/** Like {@link open}, but optional. An empty string and null mean "unset". */
export const lenient = (...known: readonly string[]): Rule<string | null | undefined> =>
  nullish({ kind: 'open', known, mayBeEmpty: true })

export const list = <Item>(of: Rule<Item>): Rule<Item[]> => ({ kind: 'list', of })

export const optional = <Value>(of: Rule<Value>): Rule<Value | undefined> => ({ kind: 'optional', of })

export const nullable = <Value>(of: Rule<Value>): Rule<Value | null> => ({ kind: 'nullable', of })

export const nullish = <Value>(of: Rule<Value>): Rule<Value | null | undefined> => ({ kind: 'nullish', of })

/** An optional field that no service guarantees: a value of another type is dropped, and the rest stays valid. */
export const unchecked = <Value>(of: Rule<Value>): Rule<Value | undefined> => ({ kind: 'unchecked', of })

export const either = <One, Other>(one: Rule<One>, other: Rule<Other>): Rule<One | Other> => ({
  kind: 'either',
  options: [one, other],
})

/**
 * Creates the rule for an object with these fields and any others. It takes a function, and callers mark the call as
 * pure, so that bundlers can drop unused rules.
 */
export const object = <Value>(define: () => Rules<Value>): Rule<Value> => ({
  kind: 'object',
  fields: define(),
})
