import type { Bodies, BodyName } from './bodies.ts'
import { parse } from './rule.ts'
import { bodyRules } from './rules.ts'
import type { Validation } from './validate.ts'

/** Validates a body like its schema, but without zod. */
export const validateBody = <Name extends BodyName>(name: Name, value: unknown): Validation<Bodies[Name]> =>
  parse<Bodies[Name]>(bodyRules[name](), value)
