import type { DatabaseSync } from 'node:sqlite'
import {
  type ApiKeyRecord,
  type CallerRecord,
  type OrganizationRecord,
  type Page,
  type PageRequest,
  RecordNotFoundError,
  type SaveOutcome,
} from '@wabakit/core'
import { parseCursor } from '../cursor.ts'
import { toPage } from '../page.ts'
import { insertInto, mapTable } from './records.ts'
import { createSave } from './revisions.ts'

/** Organizations and their API keys. */
export type Tenancy = {
  saveOrganization(organization: OrganizationRecord): SaveOutcome
  findOrganization(organizationId: string): OrganizationRecord | undefined
  /** @throws RecordNotFoundError if the organization does not exist. */
  requireOrganization(organizationId: string): void
  listOrganizations(page: PageRequest): Page<OrganizationRecord>
  removeOrganization(organizationId: string): boolean
  addApiKey(key: ApiKeyRecord): 'added' | 'taken'
  listApiKeys(organizationId: string): ApiKeyRecord[]
  removeApiKey(organizationId: string, keyId: string): boolean
  findCaller(keyHash: string): CallerRecord | undefined
}

const organizations = mapTable('organizations')
const apiKeys = mapTable('apiKeys')

export const createTenancy = (database: DatabaseSync): Tenancy => {
  const find = database.prepare('select * from organizations where id = ?')
  const exists = database.prepare('select 1 from organizations where id = ?')
  const list = database.prepare('select * from organizations where seq > ? order by seq limit ?')
  const remove = database.prepare('delete from organizations where id = ?')
  const addKey = database.prepare(`${insertInto('apiKeys', apiKeys.columns)} on conflict do nothing`)
  const listKeys = database.prepare('select * from apiKeys where organizationId = ? order by seq')
  const removeKey = database.prepare('delete from apiKeys where organizationId = ? and id = ?')
  const findKey = database.prepare('select * from apiKeys where hash = ?')

  const findOrganization: Tenancy['findOrganization'] = (organizationId) => {
    const row = find.get(organizationId)
    return row && organizations.toRecord(row)
  }

  return {
    saveOrganization: createSave(database, 'organizations'),
    findOrganization,
    requireOrganization: (organizationId) => {
      if (exists.get(organizationId) === undefined)
        throw new RecordNotFoundError('organization', organizationId)
    },
    listOrganizations: ({ cursor = '0', limit }) =>
      toPage({
        rows: list.all(Number(parseCursor(cursor, 1)[0]), limit + 1),
        limit,
        isFollowed: false,
        toItem: organizations.toRecord,
        toCursor: ({ seq }) => String(seq),
      }),
    removeOrganization: (organizationId) => Number(remove.run(organizationId).changes) > 0,
    addApiKey: (key) =>
      Number(addKey.run(...Object.values(apiKeys.toRow(key))).changes) === 1 ? 'added' : 'taken',
    listApiKeys: (organizationId) => listKeys.all(organizationId).map(apiKeys.toRecord),
    removeApiKey: (organizationId, keyId) => Number(removeKey.run(organizationId, keyId).changes) > 0,
    findCaller: (keyHash) => {
      const row = findKey.get(keyHash)
      if (row === undefined) return undefined
      const key = apiKeys.toRecord(row)
      const organization = findOrganization(key.organizationId)
      return organization && { key, organization }
    },
  }
}
