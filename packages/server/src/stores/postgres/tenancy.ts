import type { CallerRecord, OrganizationRecord, Store } from '@wabakit/core'
import { parsePosition } from '@wabakit/core/storage'
import { createBatches } from './batches.ts'
import type { PostgresDatabase } from './open-postgres.ts'
import { callFunction } from './query.ts'
import { createReads, type JsonRow, mapTable } from './records.ts'
import { createRemovals } from './removals.ts'

const { toRow: toOrganizationRow, toRecord: toOrganization } = mapTable('organizations')
const { toRow: toKeyRow, toRecord: toKey } = mapTable('apiKeys')

/**
 * Returns a function that finds a value by its key. Up to 256 lookups share a statement, because every
 * request starts by finding its caller.
 */
const createLookup = <Value>(read: (keys: readonly string[]) => Promise<(readonly [key: string, Value])[]>) =>
  createBatches<string, Value | undefined>({
    maxItems: 256,
    write: async (keys) => {
      const found = new Map(await read([...new Set(keys)]))
      return keys.map((key) => found.get(key))
    },
  })

export const createTenancy = ({ query, read }: PostgresDatabase) => {
  const organizations = createReads(read, 'organizations')
  const apiKeys = createReads(read, 'apiKeys')
  const save = (organization: OrganizationRecord): Promise<boolean | undefined> =>
    callFunction(query, 'save_organization($1)', [JSON.stringify(toOrganizationRow(organization))])

  return {
    saveOrganization: async (organization) => {
      if (await save(organization)) return 'saved'
      if (organization.revision > 1) return 'stale'
      // The removal of an organization with the same id may still be under way.
      await createRemovals(query).endAll()
      return (await save(organization)) ? 'saved' : 'stale'
    },
    findOrganization: createLookup<OrganizationRecord>(async (ids) => {
      const sql = 'FROM wabakit.organizations r WHERE r.id = ANY ($1) AND r.revision > 0'
      return (await organizations.list(sql, [ids])).map((record) => [record.id, record])
    }),
    listOrganizations: ({ cursor = '0', limit }) =>
      organizations.readPage(
        'FROM wabakit.organizations r WHERE r.position > $1 AND r.revision > 0 ORDER BY r.position LIMIT $2',
        { values: [parsePosition(cursor)], limit },
      ),
    removeOrganization: async (organizationId) => {
      const isRemoved = await callFunction<boolean>(query, 'remove_organization($1)', [organizationId])
      return isRemoved === true && createRemovals(query).end(true)
    },

    addApiKey: async (key) => {
      const isAdded = await callFunction<boolean>(query, 'add_api_key($1)', [JSON.stringify(toKeyRow(key))])
      return isAdded === true ? 'added' : 'taken'
    },
    listApiKeys: (organizationId) =>
      apiKeys.list('FROM wabakit.api_keys r WHERE r.organization_id = $1 ORDER BY r.position', [
        organizationId,
      ]),
    removeApiKey: async (organizationId, keyId) => {
      const removed = await query(
        'DELETE FROM wabakit.api_keys WHERE organization_id = $1 AND id = $2 RETURNING hash',
        [organizationId, keyId],
      )
      return removed.length > 0
    },
    findCaller: createLookup<CallerRecord>(async (hashes) => {
      const rows = await read<{ key: JsonRow; organization: JsonRow }>(
        `SELECT row_to_json(k) AS key, row_to_json(o) AS organization
         FROM wabakit.api_keys k JOIN wabakit.organizations o ON o.id = k.organization_id WHERE k.hash = ANY ($1)`,
        [hashes],
      )
      return rows.map(({ key, organization }) => [
        String(key.hash),
        { key: toKey(key), organization: toOrganization(organization) },
      ])
    }),
  } satisfies Partial<Store>
}
