import type { Bodies, BodyName } from './bodies.ts'
import { type Check, object, parse } from './check.ts'
import { bodyChecks } from './checks.ts'
import type { Validation } from './validation.ts'

const checks: { [Name in BodyName]?: Check } = {}

/** Validates a body like its schema, but without zod. */
export const validateBody = <Name extends BodyName>(name: Name, value: unknown): Validation<Bodies[Name]> => {
  checks[name] ??= object(bodyChecks[name]())
  return parse(value, checks[name])
}
