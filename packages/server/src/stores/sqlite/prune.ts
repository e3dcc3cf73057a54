import type { DatabaseSync } from 'node:sqlite'
import type { Store } from '@wabakit/core'
import type { Calls } from './calls.ts'

export type Prune = {
  /**
   * Continues removals: removes the records of removed organizations and subscriptions, and skips the unfinished
   * deliveries of disabled subscriptions.
   *
   * @returns the number of changed rows, at most `limit`; 0 if none are left.
   */
  continueRemovals(limit: number): number
  /** See {@link Store.prune}. */
  prune(request: Parameters<Store['prune']>[0]): number
}

/** Tables with rows of organizations, in the order of their removal, and their keys. */
const owned = {
  events: 'seq',
  participants: 'organizationId, groupId, digits',
  groups: 'organizationId, clientCustomGroupId',
  calls: 'organizationId, callId',
  summaries: 'organizationId, callId',
  summaryMarks: 'organizationId, hash',
} as const

const isInactive = 'coalesce(activeAt, createdAt) < ?'

export const createPrune = (database: DatabaseSync, calls: Calls): Prune => {
  const findRemoved = (table: string, key: string) =>
    database.prepare(`select ${key} as key from ${table} where revision < 0 limit 1`)
  const removedSubscription = findRemoved('subscriptions', 'seq')
  const removedOrganization = findRemoved('organizations', 'id')
  const unfinished = database.prepare(
    `select seq, updatedAt from subscriptions s
     where (failingSince is not null or disabledReason is not null) and disabledReason is not null
       and exists (select 1 from deliveries where subscription = s.seq and finishedAt is null) limit 1`,
  )
  const skip = database.prepare(
    `update deliveries set state = 'skipped', dueAt = null, finishedAt = ?
     where (event, subscription) in
       (select event, subscription from deliveries where subscription = ? and finishedAt is null limit ?)`,
  )
  const deleteDeliveries = database.prepare(
    `delete from deliveries where (event, subscription) in
       (select event, subscription from deliveries indexed by deliveriesBySubscription where subscription = ? limit ?)`,
  )
  const deleteSubscription = database.prepare('delete from subscriptions where seq = ?')
  const deleteOwned = Object.entries(owned).map(([table, key]) =>
    database.prepare(
      `delete from ${table} where (${key}) in (select ${key} from ${table} where organizationId = ? limit ?)`,
    ),
  )
  const deleteOrganization = database.prepare('delete from organizations where id = ?')

  const finishedDeliveries = database.prepare(
    `delete from deliveries where (event, subscription) in
       (select event, subscription from deliveries where finishedAt < ? order by finishedAt limit ?)`,
  )
  const unusedEvents = database.prepare(
    `delete from events where seq in
       (select seq from events where deliveries = 0 and occurredAt < ? order by occurredAt limit ?)`,
  )
  const oldCalls = database.prepare(
    `select organizationId, callId from calls c where updatedAt < ?1 and not exists (
       select 1 from summaries s
       where s.organizationId = c.organizationId and s.callId = c.callId and s.generatedAt >= ?1
     ) order by updatedAt limit ?2`,
  )
  const formerParticipants = database.prepare(
    `delete from participants where (${owned.participants}) in
       (select ${owned.participants} from participants where state <> 'joined' and changedAt < ? limit ?)`,
  )
  const inactiveParticipants = database.prepare(
    `delete from participants where (${owned.participants}) in (
       select p.organizationId, p.groupId, p.digits
       from groups g cross join participants p on p.organizationId = g.organizationId and p.groupId = g.clientCustomGroupId
       where ${isInactive} limit ?)`,
  )
  const inactiveGroups = database.prepare(
    `delete from groups where (${owned.groups}) in (
       select ${owned.groups} from groups g where ${isInactive} and not exists (
         select 1 from participants p where p.organizationId = g.organizationId and p.groupId = g.clientCustomGroupId
       ) limit ?)`,
  )

  /** Returns the number of rows that a statement changed. */
  const run = (statement: typeof skip, ...values: (string | number)[]): number =>
    Number(statement.run(...values).changes)

  /** Removes or skips at most `limit` rows of one kind. */
  const takeStep = (limit: number): number => {
    const subscription = Number(removedSubscription.get()?.key ?? 0)
    if (subscription > 0) {
      return run(deleteDeliveries, subscription, limit) || run(deleteSubscription, subscription)
    }
    const disabled = unfinished.get()
    if (disabled !== undefined) {
      return run(skip, Number(disabled.updatedAt), Number(disabled.seq), limit)
    }
    const organization = removedOrganization.get()?.key
    if (organization === undefined) return 0
    const id = String(organization)
    for (const statement of deleteOwned) {
      const removed = run(statement, id, limit)
      if (removed > 0) return removed
    }
    return run(deleteOrganization, id)
  }

  const continueRemovals = (limit: number): number => {
    let done = 0
    while (done < limit) {
      const changed = takeStep(limit - done)
      if (changed === 0) break
      done += changed
    }
    return done
  }

  const pruneRecords = (before: number, limit: number): number => {
    const old = oldCalls.all(before, limit)
    for (const { organizationId, callId } of old) calls.remove(String(organizationId), String(callId))
    return [formerParticipants, inactiveParticipants, inactiveGroups].reduce(
      (removed, statement) => removed + run(statement, before, limit),
      old.length,
    )
  }

  return {
    continueRemovals,
    prune: ({ before, recordsBefore, limit }) =>
      continueRemovals(limit) +
      run(finishedDeliveries, before, limit) +
      run(unusedEvents, before, limit) +
      (recordsBefore === undefined ? 0 : pruneRecords(recordsBefore, limit)),
  }
}
