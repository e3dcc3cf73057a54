// The tests of a store

import { backlogCases } from './backlog-cases.ts'
import { changeCases } from './change-cases.ts'
import { deliveryQueueCases } from './delivery-queue-cases.ts'
import { eventListingCases } from './event-listing-cases.ts'
import { figureCases } from './figure-cases.ts'
import { healthCases } from './health-cases.ts'
import { isolationCases } from './isolation-cases.ts'
import { laneCases } from './lane-cases.ts'
import { listingCases } from './listing-cases.ts'
import { numberingCases } from './numbering-cases.ts'
import { pruningCases } from './pruning-cases.ts'
import { removalCases } from './removal-cases.ts'
import { resendCases } from './resend-cases.ts'
import { settlementCases } from './settlement-cases.ts'
import type { StoreCase } from './store-case.ts'
import { storedValueCases } from './stored-value-cases.ts'
import { tenancyCases } from './tenancy-cases.ts'

export { AssertionError } from './assert.ts'
export type { StoreCase } from './store-case.ts'

/**
 * The cases that define a store. They run with every engine and every test runner. An engine with its own clock must
 * use the `now` of the calls here.
 *
 * @example
 * for (const { name, run } of storeCases) test(name, () => run(async () => memoryStore()))
 */
export const storeCases: readonly StoreCase[] = [
  ...tenancyCases,
  ...isolationCases,
  ...changeCases,
  ...eventListingCases,
  ...listingCases,
  ...numberingCases,
  ...storedValueCases,
  ...pruningCases,
  ...laneCases,
  ...deliveryQueueCases,
  ...settlementCases,
  ...healthCases,
  ...resendCases,
  ...backlogCases,
  ...removalCases,
  ...figureCases,
]

// Records for further tests of a store

export {
  buildApiKey,
  buildCall,
  buildEvent,
  buildGroup,
  buildOrganization,
  buildParticipant,
  buildSubscription,
  buildSummary,
  start,
} from './records.ts'

// Not exported: the assertions and other helpers of the cases. Tests with a test runner use its own assertions.
