import type { Random } from '@wabakit/core'
import type { RuleOptions } from './rule.ts'

/** Rules in the order in which they were added. */
export type RuleBook<Rule extends RuleOptions> = {
  /** @returns removes the rule. */
  add(rule: Rule): () => void
  /** The first rule that fits and hits; it counts as a hit. */
  take(fits: (rule: Rule) => boolean): Rule | undefined
  /** Whether a rule is there still. */
  has(rule: Rule): boolean
  /** Removes all rules. */
  clear(): void
}

/** Makes an empty book; `random` decides about rules that hit by chance. */
export const createRuleBook = <Rule extends RuleOptions>(random: Random): RuleBook<Rule> => {
  const hitsLeft = new Map<Rule, number>()
  const hit = (rule: Rule, left: number): void => {
    if (left > 1) hitsLeft.set(rule, left - 1)
    else hitsLeft.delete(rule)
  }
  return {
    add: (rule) => {
      const own = { ...rule }
      hitsLeft.set(own, own.times === 'always' ? Number.POSITIVE_INFINITY : (own.times ?? 1))
      return () => hitsLeft.delete(own)
    },
    take: (fits) => {
      for (const [rule, left] of hitsLeft) {
        if (!fits(rule) || (rule.chance !== undefined && random() >= rule.chance)) continue
        hit(rule, left)
        return rule
      }
      return undefined
    },
    has: (rule) => hitsLeft.has(rule),
    clear: () => hitsLeft.clear(),
  }
}
