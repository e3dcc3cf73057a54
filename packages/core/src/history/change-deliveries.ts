import type { DeliveryRecord, DeliveryStatus } from '../records.ts'
import type { DeliveryQuery, DeliverySelection, Store } from '../store.ts'
import { maxExamined } from './selection.ts'

const pageSize = 500

async function* readSelected(store: Store, selection: DeliverySelection): AsyncGenerator<DeliveryRecord[]> {
  const query: DeliveryQuery = { ...selection, order: 'newest_first', limit: pageSize, maxExamined }
  let cursor: string | undefined
  do {
    const { items, nextCursor } = await store.listDeliveries({ ...query, cursor })
    yield items
    cursor = nextCursor
  } while (cursor !== undefined)
}

export const countResendable = async (store: Store, selection: DeliverySelection): Promise<number> => {
  const enabled = new Map<string, boolean>()
  let count = 0
  for await (const page of readSelected(store, selection)) {
    for (const { organizationId, subscriptionId, status, failures, deferrals } of page) {
      if (!enabled.has(subscriptionId)) {
        const found = await store.findSubscription(organizationId, subscriptionId)
        enabled.set(subscriptionId, found?.disabledReason === null)
      }
      // Those that were never attempted, or not since the last time, need no resend.
      const isFresh = status === 'waiting' || (status === 'pending' && failures + deferrals === 0)
      if (enabled.get(subscriptionId) && !isFresh) count += 1
    }
  }
  return count
}

const cancelable: readonly DeliveryStatus[] = ['waiting', 'pending']

type CancelOptions = {
  readonly selection: DeliverySelection
  readonly now: number
  readonly dryRun: boolean
}

export const cancelSelected = async (
  store: Store,
  { selection, now, dryRun }: CancelOptions,
): Promise<number> => {
  const statuses = cancelable.filter((status) => selection.statuses?.includes(status) ?? true)
  if (statuses.length === 0) return 0
  let count = 0
  for await (const page of readSelected(store, { ...selection, statuses })) {
    if (dryRun) {
      count += page.length
      continue
    }
    const lanes = Map.groupBy(page, ({ subscriptionId, subject }) => `${subscriptionId} ${subject}`)
    const cancelLane = async (lane: readonly DeliveryRecord[]): Promise<void> => {
      // Newest first: without its head, a lane would go on.
      for (const { organizationId, id } of lane) {
        if (await store.cancelDelivery({ organizationId, deliveryId: id, now })) count += 1
      }
    }
    await Promise.all(Array.from(lanes.values(), cancelLane))
  }
  return count
}
