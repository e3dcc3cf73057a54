import type { PlantedBug } from './bug.ts'
import { deliveryBugs } from './delivery.ts'
import { deliveryQueueBugs } from './delivery-queue.ts'
import { ownershipBugs } from './ownership.ts'
import { requestBugs } from './requests.ts'
import { schedulerBugs } from './scheduler.ts'
import { sqliteBugs } from './sqlite.ts'

/** All planted bugs. The simulation must find them. */
export const plantedBugs: readonly PlantedBug[] = [
  ...deliveryBugs,
  ...requestBugs,
  ...schedulerBugs,
  ...ownershipBugs,
  ...deliveryQueueBugs,
  ...sqliteBugs,
]
