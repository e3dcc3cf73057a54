import * as z from 'zod/mini'
import type { Random } from '../values/ids.ts'
import { optional } from '../values/input-schemas.ts'

/** The number of times that a fault hits, and the probability of each hit. */
export const FaultOptions = z.strictObject({
  /** Number of hits, at least 1, or `always` (until the fault is removed). @default 1 */
  times: optional(
    z.union([z.int().check(z.gte(1)), z.literal('always')], {
      error: "must be a whole number of 1 or more, or 'always'",
    }),
    'Number of requests, or always. Default: 1.',
  ),
  /**
   * Probability of a hit for each request or delivery that the fault applies to: more than 0 and at most 1. @default 1
   */
  chance: optional(z.number().check(z.gt(0), z.lte(1)), 'Fraction of requests, from 0 to 1.'),
})
export type FaultOptions = z.infer<typeof FaultOptions>

/** A fault that has hits left. */
export type PlannedFault<Fault> = {
  readonly id: string
  readonly fault: Fault
  readonly remaining: number | 'always'
  /** Number of hits so far. */
  readonly hits: number
}

/** Faults in the order in which they were added. @inline */
export type FaultList<Fault extends FaultOptions> = {
  add(fault: Fault): PlannedFault<Fault>
  /** Returns the first fault that applies and hits by chance, and counts the hit. */
  take(applies: (fault: Fault) => boolean): Fault | undefined
  list(): PlannedFault<Fault>[]
  remove(id: string): void
  clear(): void
}

/**
 * Creates an empty list of faults.
 *
 * @param random - decides whether a fault with a `chance` hits.
 */
export const createFaultList = <Fault extends FaultOptions>(random: Random): FaultList<Fault> => {
  const planned = new Map<string, PlannedFault<Fault>>()
  let count = 0
  return {
    add: (fault) => {
      const added = { id: `fault_${++count}`, fault, remaining: fault.times ?? 1, hits: 0 }
      planned.set(added.id, added)
      return added
    },
    take: (applies) => {
      for (const each of planned.values()) {
        const { id, fault, remaining, hits } = each
        if (!applies(fault) || (fault.chance !== undefined && random() >= fault.chance)) continue
        if (remaining === 1) planned.delete(id)
        else {
          const left = remaining === 'always' ? remaining : remaining - 1
          planned.set(id, { ...each, remaining: left, hits: hits + 1 })
        }
        return fault
      }
      return undefined
    },
    list: () => [...planned.values()],
    remove: (id) => {
      planned.delete(id)
    },
    clear: () => planned.clear(),
  }
}
