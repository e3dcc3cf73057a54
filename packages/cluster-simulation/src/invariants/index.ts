import { StorageOutcomeUnknownError, StorageUnavailableError } from '@wabakit/core'
import { createAcknowledgedRule } from './acknowledged.ts'
import { createAttemptsRule } from './attempts.ts'
import { createEffectsRule } from './effects.ts'
import { createEventsRule } from './events.ts'
import { createGroupsRule } from './groups.ts'
import { createHealthRule } from './health.ts'
import { createLanesRule } from './lanes.ts'
import { createLinearizableRule } from './linearizable.ts'
import { createListsRule } from './lists.ts'
import type { Rule, RuleContext } from './rule.ts'
import { createScheduleRule } from './schedule.ts'
import { createSettledRule } from './settled.ts'
import { createStartLimitsRule } from './start-limits.ts'
import { createStarvationRule } from './starvation.ts'

/** Checks that clients get errors only while a store is unavailable. */
const createErrorsRule = ({ violate }: RuleContext): Rule => ({
  observe: (observation) => {
    if (observation.kind !== 'rejection') return
    const { server, error } = observation
    if (error instanceof StorageUnavailableError || error instanceof StorageOutcomeUnknownError) return
    violate(
      'there are no unexpected errors',
      `${server}: ${error instanceof Error ? error.stack : String(error)}`,
    )
  },
})

/** Creates all rules of a run. The run itself checks that everything settles in time (`liveness.ts`). */
export const createRules = (context: RuleContext): readonly Rule[] =>
  [
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
    createErrorsRule,
    createStarvationRule,
    createStartLimitsRule,
    createLinearizableRule,
  ].map((createRule) => createRule(context))
