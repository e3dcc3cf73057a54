import type { DatabaseSync } from 'node:sqlite'
import type { ApiKeyRecord, CallerRecord } from '@wabakit/core'
import * as z from 'zod/mini'
import { jsonColumn } from './column.ts'
import type { Organizations } from './organizations.ts'

const ApiKeyRow: z.ZodMiniType<ApiKeyRecord> = z.object({
  id: z.string(),
  organizationId: z.string(),
  hash: z.string(),
  label: z.string(),
  wabaNumbers: jsonColumn(z.union([z.literal('all'), z.array(z.string())])),
  createdAt: z.number(),
})

/** The table of keys. */
export type ApiKeys = {
  add(key: ApiKeyRecord): 'added' | 'taken'
  list(organizationId: string): ApiKeyRecord[]
  remove(organizationId: string, keyId: string): boolean
  findCaller(keyHash: string): CallerRecord | undefined
}

/** Makes the access to the table. */
export const createApiKeys = (database: DatabaseSync, organizations: Organizations): ApiKeys => {
  const add = database.prepare(
    `insert into apiKeys (id, organizationId, hash, label, wabaNumbers, createdAt) values (?, ?, ?, ?, ?, ?)
     on conflict do nothing`,
  )
  const list = database.prepare('select * from apiKeys where organizationId = ? order by seq')
  const remove = database.prepare('delete from apiKeys where organizationId = ? and id = ?')
  const find = database.prepare('select * from apiKeys where hash = ?')

  return {
    add: ({ id, organizationId, hash, label, wabaNumbers, createdAt }) => {
      organizations.require(organizationId)
      const { changes } = add.run(id, organizationId, hash, label, JSON.stringify(wabaNumbers), createdAt)
      return Number(changes) === 1 ? 'added' : 'taken'
    },
    list: (organizationId) => list.all(organizationId).map((row) => ApiKeyRow.parse(row)),
    remove: (organizationId, keyId) => Number(remove.run(organizationId, keyId).changes) > 0,
    findCaller: (keyHash) => {
      const row = find.get(keyHash)
      if (row === undefined) return undefined
      const key = ApiKeyRow.parse(row)
      const organization = organizations.find(key.organizationId)
      return organization && { key, organization }
    },
  }
}
