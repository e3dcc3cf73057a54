import type { Backlog, BacklogRequest } from '../store.ts'
import type { DeliveryRow, OrganizationTables, SubscriptionRow } from './tables.ts'

type Kind = 'waiting' | 'due' | 'later' | 'claimed'

const getKind = ({ status, at }: DeliveryRow, now: number): Kind => {
  if (status === 'waiting') return 'waiting'
  if (at <= now) return 'due'
  return status === 'claimed' ? 'claimed' : 'later'
}

function* listUnfinished(subscriptions: readonly SubscriptionRow[]): Generator<DeliveryRow> {
  for (const { lanes } of subscriptions) {
    for (const { unfinished } of lanes.values()) yield* unfinished
  }
}

/** Counts every unfinished delivery: a store in memory is small. */
export const measureBacklog = (
  organizations: Iterable<OrganizationTables>,
  { now, limit }: BacklogRequest,
): Backlog => {
  const subscriptions = Array.from(organizations).flatMap((tables) => [...tables.subscriptions.values()])
  const counts = { waiting: 0, due: 0, later: 0, claimed: 0 }
  for (const row of listUnfinished(subscriptions)) {
    const kind = getKind(row, now)
    counts[kind] = Math.min(limit, counts[kind] + 1)
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
