import { StorageOutcomeUnknownError, StorageUnavailableError } from '@wabakit/core'
import type { Observation, ObservationKind } from '../observations.ts'
import { createAcknowledgedRule } from './acknowledged.ts'
import { createAttemptsRule } from './attempts.ts'
import { createEffectsRule } from './effects.ts'
import { createEventsRule } from './events.ts'
import { createFiguresRule } from './figures.ts'
import { createGroupsRule } from './groups.ts'
import { createHealthRule } from './health.ts'
import { createLanesRule } from './lanes.ts'
import { createLinearizableRule } from './linearizable.ts'
import { createListsRule } from './lists.ts'
import type { FinalState, Rule, RuleContext } from './rule.ts'
import { createScheduleRule } from './schedule.ts'
import { createSettledRule } from './settled.ts'
import { createStartLimitsRule } from './start-limits.ts'
import { createStarvationRule } from './starvation.ts'

/** Checks that all errors come from an unavailable store. */
const createErrorsRule = ({ violate }: RuleContext): Rule => ({
  on: {
    rejection: ({ server, error }) => {
      if (error instanceof StorageUnavailableError || error instanceof StorageOutcomeUnknownError) return
      const what = error instanceof Error ? error.stack : String(error)
      violate('there are no unexpected errors', `${server}: ${what}`)
    },
  },
})

/** Creates the rules of a run. `liveness.ts` checks that everything settles in time. */
export const createRules = (run: Omit<RuleContext, 'hasSeen'>) => {
  const seen = new Set<ObservationKind>()
  const context: RuleContext = { ...run, hasSeen: (kind) => seen.has(kind) }
  let prunedBefore = 0
  const watchPruning: Rule = {
    on: {
      pruned: ({ before }) => {
        prunedBefore = Math.max(prunedBefore, before)
      },
    },
  }
  const rules = [
    () => watchPruning,
    createAcknowledgedRule,
    createGroupsRule,
    createEventsRule,
    createAttemptsRule,
    createLanesRule,
    createScheduleRule,
    createEffectsRule,
    createHealthRule,
    createSettledRule,
    createListsRule,
    createFiguresRule,
    createErrorsRule,
    createStarvationRule,
    createStartLimitsRule,
    createLinearizableRule,
  ].map((createRule) => createRule(context))

  return {
    observe: <Kind extends ObservationKind>(observation: Observation<Kind>): void => {
      seen.add(observation.kind)
      for (const { on } of rules) on?.[observation.kind]?.(observation)
    },
    finish: async (state: Omit<FinalState, 'prunedBefore'>): Promise<void> => {
      for (const rule of rules) await rule.finish?.({ ...state, prunedBefore })
    },
  }
}
