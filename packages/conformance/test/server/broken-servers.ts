import { createCallEventFlaws } from './flaws/call-events.ts'
import { createDeliveryFlaws } from './flaws/deliveries.ts'
import { createErrorFlaws } from './flaws/errors.ts'
import { createFetchFlaws } from './flaws/fetches.ts'
import { createFieldFlaws } from './flaws/fields.ts'
import { createGroupEventFlaws } from './flaws/group-events.ts'
import { createGroupFlaws } from './flaws/groups.ts'
import { createKeyFlaws } from './flaws/keys.ts'
import { createSummaryFlaws } from './flaws/summaries.ts'
import { createTextFlaws } from './flaws/texts.ts'
import type { BrokenServer } from './mutations.ts'

/** Creates servers that each break one rule. Mutations keep state, so each run needs new ones. */
export const createBrokenServers = (): BrokenServer[] => [
  ...createCallEventFlaws(),
  ...createDeliveryFlaws(),
  ...createErrorFlaws(),
  ...createFetchFlaws(),
  ...createFieldFlaws(),
  ...createGroupEventFlaws(),
  ...createGroupFlaws(),
  ...createKeyFlaws(),
  ...createSummaryFlaws(),
  ...createTextFlaws(),
]
