import type { FaultOptions } from '@wabakit/core/simulation'
import * as z from 'zod/mini'

/** Fields of the schema of every fault. */
export const faultOptions = {
  times: z.optional(
    z.union([z.int().check(z.minimum(1)), z.literal('always')], {
      error: "times must be a whole number of 1 or more, or 'always'",
    }),
  ),
  chance: z.optional(z.number().check(z.positive(), z.maximum(1))),
} satisfies Record<keyof FaultOptions, unknown>
