import type { DeliverySelection } from '../store.ts'

/** Returns whether the index of deliveries that are not `delivered` contains every selected delivery. */
export const excludesDelivered = ({ statuses }: DeliverySelection): boolean =>
  statuses?.includes('delivered') === false

/**
 * Returns whether the index of failed deliveries contains every selected delivery. It may be much smaller than the index
 * above, because many undelivered deliveries may merely be in progress.
 */
export const selectsFailed = ({ statuses }: DeliverySelection): boolean =>
  statuses?.every((status) => status === 'exhausted' || status === 'skipped') === true
