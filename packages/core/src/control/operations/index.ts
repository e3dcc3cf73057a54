import type { Operation } from '../operation.ts'
import { callOperations } from './calls.ts'
import { deliveryOperations } from './deliveries.ts'
import { erasureOperations } from './erasures.ts'
import { eventOperations } from './events.ts'
import { faultOperations } from './faults.ts'
import { groupOperations } from './groups.ts'
import { mockOperations } from './mock.ts'
import { numberOperations } from './numbers.ts'
import { organizationOperations } from './organizations.ts'
import { overviewOperations } from './overview.ts'
import { searchOperations } from './search.ts'
import { serverOperations } from './server.ts'
import { subscriptionOperations } from './subscriptions.ts'

/** All operations of the control API, except its live stream and its own description. */
export const operations: readonly Operation[] = [
  ...overviewOperations,
  ...searchOperations,
  ...organizationOperations,
  ...numberOperations,
  ...subscriptionOperations,
  ...groupOperations,
  ...callOperations,
  ...eventOperations,
  ...deliveryOperations,
  ...erasureOperations,
  ...faultOperations,
  ...mockOperations,
  ...serverOperations,
]
