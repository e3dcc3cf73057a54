import type { Bodies, BodyName } from './bodies.ts'
import { parse, type Rule } from './rule.ts'
import { bodyRules } from './rules.ts'
import type { Validation } from './validate.ts'

const rules: { [Name in BodyName]?: Rule } = {}

/** Validates a body like its schema, but without zod. */
export const validateBody = <Name extends BodyName>(name: Name, value: unknown): Validation<Bodies[Name]> => {
  const rule = rules[name] ?? bodyRules[name]()
  rules[name] = rule
  return parse<Bodies[Name]>(rule, value)
}
