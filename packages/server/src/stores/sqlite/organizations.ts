import type { DatabaseSync } from 'node:sqlite'
import {
  type OrganizationRecord,
  type Page,
  type PageRequest,
  RecordNotFoundError,
  type SaveOutcome,
} from '@wabakit/core'
import { parseCursor } from '../cursor.ts'
import { toPage } from '../page.ts'
import { mapTable } from './records.ts'
import { createSave } from './revisions.ts'
import { markRemoved } from './subscriptions.ts'

export type Organizations = {
  save(organization: OrganizationRecord): SaveOutcome
  find(organizationId: string): OrganizationRecord | undefined
  exists(organizationId: string): boolean
  /** @throws RecordNotFoundError if the organization does not exist. */
  require(organizationId: string): void
  list(page: PageRequest): Page<OrganizationRecord>
  /** What it owns is removed by `continueRemovals`. */
  remove(organizationId: string): boolean
  /** Whether an organization is removed, but not everything that it owns. */
  isBeingRemoved(organizationId: string): boolean
}

const { toRecord } = mapTable('organizations')

export const createOrganizations = (database: DatabaseSync): Organizations => {
  const find = database.prepare('select * from organizations where id = ? and revision > 0')
  const findMark = database.prepare('select revision < 0 as isRemoved from organizations where id = ?')
  const list = database.prepare(
    'select * from organizations where seq > ? and revision > 0 order by seq limit ?',
  )
  const remove = database.prepare('update organizations set revision = -1 where id = ? and revision > 0')
  const removeKeys = database.prepare('delete from apiKeys where organizationId = ?')
  const removeSubscriptions = database.prepare(`${markRemoved} where organizationId = ?`)
  const exists = (organizationId: string): boolean => findMark.get(organizationId)?.isRemoved === 0

  return {
    save: createSave(database, 'organizations'),
    find: (organizationId) => {
      const row = find.get(organizationId)
      return row && toRecord(row)
    },
    exists,
    isBeingRemoved: (organizationId) => findMark.get(organizationId)?.isRemoved === 1,
    require: (organizationId) => {
      if (!exists(organizationId)) throw new RecordNotFoundError('organization', organizationId)
    },
    list: ({ cursor = '0', limit }) =>
      toPage({
        rows: list.all(Number(parseCursor(cursor, 1)[0]), limit + 1),
        limit,
        isFollowed: false,
        toItem: toRecord,
        toCursor: ({ seq }) => String(seq),
      }),
    remove: (organizationId) => {
      if (Number(remove.run(organizationId).changes) === 0) return false
      removeKeys.run(organizationId)
      removeSubscriptions.run(organizationId)
      return true
    },
  }
}
