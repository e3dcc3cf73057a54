import type { DatabaseSync } from 'node:sqlite'
import type {
  ApiKeyRecord,
  CallerRecord,
  OrganizationRecord,
  Page,
  PageRequest,
  SaveOutcome,
} from '@wabakit/core'
import { parseCursor } from '../cursor.ts'
import { toPage } from '../page.ts'
import { insertInto, mapTable } from './records.ts'
import type { Remember } from './remember.ts'
import { createSave } from './revisions.ts'
import { markRemoved } from './subscriptions.ts'

/** Organizations and their API keys. */
export type Tenancy = {
  saveOrganization(organization: OrganizationRecord): SaveOutcome
  findOrganization(organizationId: string): OrganizationRecord | undefined
  listOrganizations(page: PageRequest): Page<OrganizationRecord>
  /** Removes an organization. `continueRemovals` removes its records. */
  removeOrganization(organizationId: string): boolean
  /** Returns whether an organization is removed, but not all of its records are. */
  isBeingRemoved(organizationId: string): boolean
  addApiKey(key: ApiKeyRecord): 'added' | 'taken'
  listApiKeys(organizationId: string): ApiKeyRecord[]
  removeApiKey(organizationId: string, keyId: string): boolean
  findCaller(keyHash: string): CallerRecord | undefined
}

const organizations = mapTable('organizations')
const apiKeys = mapTable('apiKeys')

export const createTenancy = (database: DatabaseSync, remember: Remember): Tenancy => {
  const find = database.prepare('select * from organizations where id = ? and revision > 0')
  const findMark = database.prepare('select revision < 0 as isRemoved from organizations where id = ?')
  const list = database.prepare(
    'select * from organizations where seq > ? and revision > 0 order by seq limit ?',
  )
  const remove = database.prepare('update organizations set revision = -1 where id = ? and revision > 0')
  const removeKeys = database.prepare('delete from apiKeys where organizationId = ?')
  const removeSubscriptions = database.prepare(`${markRemoved} where organizationId = ?`)
  const addKey = database.prepare(`${insertInto('apiKeys', apiKeys.columns)} on conflict do nothing`)
  const listKeys = database.prepare('select * from apiKeys where organizationId = ? order by seq')
  const removeKey = database.prepare('delete from apiKeys where organizationId = ? and id = ?')
  const findKey = database.prepare('select * from apiKeys where hash = ?')

  const save = createSave(database, 'organizations')

  const findOrganization = remember(['organizations'], (organizationId: string) => {
    const row = find.get(organizationId)
    return row && organizations.toRecord(row)
  })

  return {
    saveOrganization: save,
    findOrganization,
    isBeingRemoved: (organizationId) => findMark.get(organizationId)?.isRemoved === 1,
    listOrganizations: ({ cursor = '0', limit }) =>
      toPage({
        rows: list.all(Number(parseCursor(cursor, 1)[0]), limit + 1),
        limit,
        isFollowed: false,
        toItem: organizations.toRecord,
        toCursor: ({ seq }) => String(seq),
      }),
    removeOrganization: (organizationId) => {
      if (Number(remove.run(organizationId).changes) === 0) return false
      removeKeys.run(organizationId)
      removeSubscriptions.run(organizationId)
      return true
    },
    addApiKey: (key) =>
      Number(addKey.run(...Object.values(apiKeys.toRow(key))).changes) === 1 ? 'added' : 'taken',
    listApiKeys: (organizationId) => listKeys.all(organizationId).map(apiKeys.toRecord),
    removeApiKey: (organizationId, keyId) => Number(removeKey.run(organizationId, keyId).changes) > 0,
    findCaller: remember(['apiKeys', 'organizations'], (keyHash: string) => {
      const row = findKey.get(keyHash)
      const key = row && apiKeys.toRecord(row)
      const organization = key && findOrganization(key.organizationId)
      return organization && { key, organization }
    }),
  }
}
