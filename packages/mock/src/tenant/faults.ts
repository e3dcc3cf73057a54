import type { ApiFaults } from '../faults/api-rules.ts'
import type { DeliveryFaults } from '../faults/delivery-rules.ts'

/** What goes wrong on purpose. */
export type Faults = ApiFaults & {
  /** What goes wrong with webhooks on their way. */
  readonly deliveries: DeliveryFaults
  /** Removes every fault; what `reorder` holds back goes out. */
  clear(): void
}
