import { backlogCases } from './backlog-cases.ts'
import { changeCases } from './change-cases.ts'
import { claimCases } from './claim-cases.ts'
import { laneCases } from './lane-cases.ts'
import { listingCases } from './listing-cases.ts'
import { resendCases } from './resend-cases.ts'
import { settlementCases } from './settlement-cases.ts'
import type { StoreCase } from './store-case.ts'
import { tenancyCases } from './tenancy-cases.ts'

export { AssertionError } from './assert.ts'
export type { StoreCase } from './store-case.ts'

/**
 * The suite that defines a store, for the tests of every engine and with every test runner. Times are those of the
 * calls: an engine with a clock of its own must take `now` for it here.
 *
 * @example
 * for (const { name, run } of storeCases) test(name, () => run(async () => memoryStore()))
 */
export const storeCases: readonly StoreCase[] = [
  ...tenancyCases,
  ...changeCases,
  ...listingCases,
  ...laneCases,
  ...claimCases,
  ...settlementCases,
  ...resendCases,
  ...backlogCases,
]
