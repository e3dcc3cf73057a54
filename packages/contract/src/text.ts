import * as z from 'zod/mini'

/** What a text the service stores must be: its length in code points, bounds included. */
export type TextBounds = { readonly min?: number; readonly max?: number }

/** Tells whether `text` has at most `max` code points, without walking a text that is clearly short or long. */
const fits = (text: string, max: number): boolean => {
  if (text.length <= max) return true
  if (text.length > max * 2) return false
  return [...text].length <= max
}

/**
 * A text that every store can keep: well-formed Unicode without NUL (PostgreSQL can store neither), and `min`
 * to `max` code points long. `name` starts each of its error sentences.
 */
export const text = (name: string, { min = 0, max = Number.POSITIVE_INFINITY }: TextBounds = {}) => {
  const bounded = Number.isFinite(max)
  const jsonSchema = { ...(min > 0 && { minLength: min }), ...(bounded && { maxLength: max }) }
  return z
    .string({
      error: (issue) =>
        issue.input === undefined ? `${name} is required and must be a string` : `${name} must be a string`,
    })
    .check(
      z.refine((value) => value.length >= min, { error: `${name} must not be empty` }),
      z.refine((value) => fits(value, max), { error: `${name} must be at most ${max} characters long` }),
      z.refine((value) => !/[\0\p{Surrogate}]/u.test(value), {
        error: `${name} must not contain a NUL character or a lone surrogate`,
      }),
      z.meta(jsonSchema),
    )
}
