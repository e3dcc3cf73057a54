import type { DeliverySelection } from '../store.ts'

/** Returns whether an index without delivered deliveries has every selected one. */
export const excludesDelivered = ({ statuses }: DeliverySelection): boolean =>
  statuses?.includes('delivered') === false

/**
 * Returns whether an index of failed deliveries has every selected one. It is apart, because many undelivered deliveries
 * may merely be in progress.
 */
export const selectsFailed = ({ statuses }: DeliverySelection): boolean =>
  statuses?.every((status) => status === 'exhausted' || status === 'skipped') === true
