import * as z from 'zod/mini'

/** How often a rule hits: a number of times, or `always` (until it is removed). */
export const Times = z.union([z.int().check(z.minimum(1)), z.literal('always')], {
  error: "times must be a whole number of 1 or more, or 'always'",
})
export type Times = z.infer<typeof Times>

/** How likely a rule hits what it could hit: more than 0, at most 1. */
export const Chance = z.number().check(z.positive(), z.maximum(1))

/** Options that every rule has. */
export const ruleOptions = () => ({
  /** How often it hits. @default 1 */
  times: z.optional(Times),
  /** Hits only with this probability, drawn from the mock's seed. @default 1 */
  chance: z.optional(Chance),
})

/** How often a rule hits. */
export type RuleOptions = {
  /** How often it hits: a number of times, or `always` (until it is removed). @default 1 */
  readonly times?: Times | undefined
  /** Hits only with this probability, more than 0 and at most 1, drawn from the mock's seed. @default 1 */
  readonly chance?: number | undefined
}
