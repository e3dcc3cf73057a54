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

export type Organizations = {
  save(organization: OrganizationRecord): SaveOutcome
  find(organizationId: string): OrganizationRecord | undefined
  /** @throws RecordNotFoundError if the organization does not exist. */
  require(organizationId: string): void
  list(page: PageRequest): Page<OrganizationRecord>
  remove(organizationId: string): boolean
}

const { toRecord } = mapTable('organizations')

export const createOrganizations = (database: DatabaseSync): Organizations => {
  const find = database.prepare('select * from organizations where id = ?')
  const exists = database.prepare('select 1 from organizations where id = ?')
  const list = database.prepare('select * from organizations where seq > ? order by seq limit ?')
  const remove = database.prepare('delete from organizations where id = ?')

  return {
    save: createSave(database, 'organizations'),
    find: (organizationId) => {
      const row = find.get(organizationId)
      return row && toRecord(row)
    },
    require: (organizationId) => {
      if (exists.get(organizationId) === undefined)
        throw new RecordNotFoundError('organization', organizationId)
    },
    list: ({ cursor = '0', limit }) =>
      toPage({
        rows: list.all(Number(parseCursor(cursor, 1)[0]), limit + 1),
        limit,
        isFollowed: false,
        toItem: toRecord,
        toCursor: ({ seq }) => String(seq),
      }),
    remove: (organizationId) => Number(remove.run(organizationId).changes) > 0,
  }
}
