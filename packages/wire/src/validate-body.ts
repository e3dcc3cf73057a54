import type { Bodies, BodyName } from './bodies.ts'
import { object, parse } from './check.ts'
import { bodyChecks } from './checks.ts'
import type { Validation } from './validation.ts'

/** Validates a body like its schema, but without zod. */
export const validateBody = <Name extends BodyName>(name: Name, value: unknown): Validation<Bodies[Name]> =>
  parse(value, object(bodyChecks[name]()))
