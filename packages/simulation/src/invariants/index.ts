import { createAcknowledgedRule } from './acknowledged.ts'
import { createAttemptsRule } from './attempts.ts'
import { createEffectsRule } from './effects.ts'
import { createErrorsRule } from './errors.ts'
import { createEventsRule } from './events.ts'
import { createGroupsRule } from './groups.ts'
import { createLanesRule } from './lanes.ts'
import { createLinearizableRule } from './linearizable.ts'
import type { Rule, RuleContext } from './rule.ts'
import { createScheduleRule } from './schedule.ts'
import { createSettledRule } from './settled.ts'
import { createStarvationRule } from './starvation.ts'

/** Creates all rules of a run. That everything settles, and in time, is checked by the run itself (`liveness.ts`). */
export const createRules = (context: RuleContext): readonly Rule[] =>
  [
    createAcknowledgedRule,
    createGroupsRule,
    createEventsRule,
    createAttemptsRule,
    createLanesRule,
    createScheduleRule,
    createEffectsRule,
    createSettledRule,
    createErrorsRule,
    createStarvationRule,
    createLinearizableRule,
  ].map((createRule) => createRule(context))
