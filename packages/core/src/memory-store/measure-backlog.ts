import type { Backlog, BacklogRequest } from '../store.ts'
import type { DeliveryRow, OrganizationTables, SubscriptionRow } from './tables.ts'

type Place = 'waiting' | 'due' | 'later' | 'claimed'

const placeOf = ({ status, at }: DeliveryRow, now: number): Place => {
  if (status === 'waiting') return 'waiting'
  if (at <= now) return 'due'
  return status === 'claimed' ? 'claimed' : 'later'
}

function* unsettledOf(subscriptions: readonly SubscriptionRow[]): Generator<DeliveryRow> {
  for (const { lanes } of subscriptions) {
    for (const { unsettled } of lanes.values()) yield* unsettled
  }
}

/** Looks at every unsettled delivery: memory is for what is small. */
export const measureBacklog = (
  organizations: Iterable<OrganizationTables>,
  { now, limit }: BacklogRequest,
): Backlog => {
  const subscriptions = Array.from(organizations).flatMap((tables) => [...tables.subscriptions.values()])
  const counts = { waiting: 0, due: 0, later: 0, claimed: 0 }
  for (const row of unsettledOf(subscriptions)) {
    const place = placeOf(row, now)
    counts[place] = Math.min(limit, counts[place] + 1)
  }
  const disabled = subscriptions.filter(({ record }) => record.disabledReason !== null)
  const failing = subscriptions.filter(({ record }) => record.failingSince !== null)
  return {
    ...counts,
    oldestDueMs: subscriptions
      .flatMap(({ pending, leased }) => [pending.peek(), leased.peek()])
      .reduce((oldest, row) => Math.max(oldest, now - (row?.at ?? now)), 0),
    failingSubscriptions: failing.filter(({ record }) => record.disabledReason === null).length,
    disabledSubscriptions: disabled.length,
  }
}
