import { buildTrialCreation } from '../trial-creation.ts'
import type { NewGroup } from './groups.ts'
import type { Access } from './record-access.ts'

/** Thrown to roll a trial back. */
const endOfTrial = new Error('The trial was successful.')

/**
 * Creates a check that commits a change without an effect and, if there is an organization, creates a group with its
 * deliveries, which is rolled back. Rejects if either fails.
 */
export const createWritableCheck = (
  { database, write }: Pick<Access, 'database' | 'write'>,
  addGroup: (group: NewGroup) => void,
): (() => Promise<void>) => {
  // Changes the value and changes it back, because SQLite does not write an update that changes no value.
  const touch = [
    "update owner set token = token || ' ' where id = 1",
    'update owner set token = rtrim(token) where id = 1',
  ].map((sql) => database.prepare(sql))
  // With a subscription, there may be a delivery to add as well.
  const findSubscription = database.prepare(
    `select organizationId as id, digits from subscriptions where position = (select max(position) from subscriptions)`,
  )
  const findOrganization = database.prepare(
    "select id, '' as digits from organizations where id = (select max(id) from organizations)",
  )
  return async () => {
    await write(() => {
      for (const statement of touch) statement.run()
    })
    await write(() => {
      const found = findSubscription.get() ?? findOrganization.get()
      if (found === undefined) return
      addGroup(buildTrialCreation({ organizationId: String(found.id), digits: String(found.digits) }))
      throw endOfTrial
    }).catch((error: unknown) => {
      if (error !== endOfTrial) throw error
    })
  }
}
