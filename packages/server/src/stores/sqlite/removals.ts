import type { Access } from './record-access.ts'

/** Removals, which start in one transaction and end in later ones. */
export type Removals = ReturnType<typeof createRemovals>

/**
 * Maximum number of rows that a transaction which continues a removal removes or skips, not counting attempts, which go with
 * their deliveries, and the figures of a subscription. Such a transaction blocks the event loop for 2 to 5 ms.
 */
const batch = 200

/** SQL that starts the removal of subscriptions. From then on, they match no event and have no due deliveries. */
export const markRemoved = `update subscriptions
  set revision = -1, disabledReason = coalesce(disabledReason, 'by_hand'), events = '[]'`

/** Tables with rows of an organization that outlive its subscriptions, with their keys, in the order of removal. */
const owned = {
  events: 'position',
  participants: 'organizationId, groupId, digits',
  groups: 'organizationId, clientCustomGroupId',
  calls: 'organizationId, callId',
  summaries: 'organizationId, callId',
  summaryMarks: 'organizationId, hash',
  figures: 'organizationId, subscriptionId, at, span',
}

export const createRemovals = ({ database, write }: Access) => {
  const findRemoved = (table: string, key: string) =>
    database.prepare(`select ${key} as key from ${table} where revision < 0 limit 1`)
  const removedSubscription = findRemoved('subscriptions', 'position')
  const removedOrganization = findRemoved('organizations', 'id')
  const unfinished = database.prepare(
    `select position, updatedAt from subscriptions s
     where disabledReason is not null
       and exists (select 1 from deliveries where subscription = s.position and finishedAt is null) limit 1`,
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
  const deleteFigures = database.prepare(
    `delete from figures where (organizationId, subscriptionId) in
       (select organizationId, id from subscriptions where position = ?)`,
  )
  const deleteSubscription = database.prepare('delete from subscriptions where position = ?')
  const deleteOwned = Object.entries(owned).map(([table, key]) =>
    database.prepare(
      `delete from ${table} where (${key}) in (select ${key} from ${table} where organizationId = ? limit ?)`,
    ),
  )
  const deleteOrganization = database.prepare('delete from organizations where id = ?')

  const run = (statement: typeof skip, ...values: (string | number)[]): number =>
    Number(statement.run(...values).changes)

  /**
   * Removes or skips at most `limit` rows of one kind. The figures of a subscription, which are few, go at once. Returns
   * the number of rows.
   */
  const takeStep = (limit: number): number => {
    const subscription = Number(removedSubscription.get()?.key ?? 0)
    if (subscription > 0) {
      return (
        run(deleteDeliveries, subscription, limit) ||
        run(deleteFigures, subscription) ||
        run(deleteSubscription, subscription)
      )
    }
    const disabled = unfinished.get()
    if (disabled !== undefined) {
      return run(skip, Number(disabled.updatedAt), Number(disabled.position), limit)
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

  /**
   * Removes the records of removed organizations and subscriptions, and skips the unfinished deliveries of disabled
   * subscriptions, in the caller's transaction.
   *
   * @returns the number of changed rows, at most `limit` apart from the figures of subscriptions; 0 if none are left.
   */
  const takeSteps = (limit: number): number => {
    let done = 0
    while (done < limit) {
      const changed = takeStep(limit - done)
      if (changed === 0) break
      done += changed
    }
    return done
  }

  const takeBatch = (): number => takeSteps(batch)

  let last: Promise<unknown> = Promise.resolve()

  /** Completes all removals, one batch per transaction, after the removals that are already running. */
  const endAll = (): Promise<void> => {
    const removal = last.then(async () => {
      while ((await write(takeBatch)) > 0);
    })
    last = removal.catch(() => {})
    return removal
  }

  return {
    takeSteps,
    takeBatch,
    endAll,
    /** Completes a removal that has started. If that fails, `prune` continues it. */
    end: async <Outcome>(outcome: Outcome): Promise<Outcome> => {
      await endAll().catch(() => {})
      return outcome
    },
  }
}
