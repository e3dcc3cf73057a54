import type { Backlog, BacklogRequest } from '../store.ts'
import type { OrganizationTables } from './tables.ts'
import { listPending, listUnfinished } from './unfinished.ts'

/** Measures the backlog. Counts every unfinished delivery, because an in-memory store is small. */
export const measureBacklog = (
  organizations: Iterable<OrganizationTables>,
  { now, limit }: BacklogRequest,
): Backlog => {
  const subscriptions = Array.from(organizations).flatMap((tables) => [...tables.subscriptions.values()])
  const pending = subscriptions.flatMap(listPending)
  const due = pending.filter(({ dueAt }) => dueAt <= now)
  const disabled = subscriptions.filter(({ record }) => record.disabledReason !== null)
  const failing = subscriptions.filter(({ record }) => record.failingSince !== null)
  return {
    waiting: Math.min(limit, subscriptions.flatMap(listUnfinished).length - pending.length),
    due: Math.min(limit, due.length),
    later: Math.min(limit, pending.length - due.length),
    oldestDueMs: due.reduce((oldest, { dueAt }) => Math.max(oldest, now - dueAt), 0),
    failingSubscriptions: failing.filter(({ record }) => record.disabledReason === null).length,
    disabledSubscriptions: disabled.length,
  }
}
