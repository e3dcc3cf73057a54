import type { DatabaseSync } from 'node:sqlite'
import type { ApiKeyRecord, CallerRecord } from '@wabakit/core'
import type { Organizations } from './organizations.ts'
import { insertInto, mapTable } from './records.ts'

export type ApiKeys = {
  add(key: ApiKeyRecord): 'added' | 'taken'
  list(organizationId: string): ApiKeyRecord[]
  remove(organizationId: string, keyId: string): boolean
  findCaller(keyHash: string): CallerRecord | undefined
}

const { columns, toRow, toRecord } = mapTable('apiKeys')

export const createApiKeys = (database: DatabaseSync, organizations: Organizations): ApiKeys => {
  const add = database.prepare(`${insertInto('apiKeys', columns)} on conflict do nothing`)
  const list = database.prepare('select * from apiKeys where organizationId = ? order by seq')
  const remove = database.prepare('delete from apiKeys where organizationId = ? and id = ?')
  const find = database.prepare('select * from apiKeys where hash = ?')

  return {
    add: (key) => {
      organizations.require(key.organizationId)
      return Number(add.run(...Object.values(toRow(key))).changes) === 1 ? 'added' : 'taken'
    },
    list: (organizationId) => list.all(organizationId).map(toRecord),
    remove: (organizationId, keyId) => Number(remove.run(organizationId, keyId).changes) > 0,
    findCaller: (keyHash) => {
      const row = find.get(keyHash)
      if (row === undefined) return undefined
      const key = toRecord(row)
      const organization = organizations.find(key.organizationId)
      return organization && { key, organization }
    },
  }
}
