import type { CallerRecord, OrganizationRecord, Store } from '@wabakit/core'
import { parsePosition, toPage } from '@wabakit/core/storage'
import { createBatches } from './batches.ts'
import { addApiKey, removeOrganization, saveOrganization } from './functions/tenancy.ts'
import type { PostgresDatabase } from './open-postgres.ts'
import { type JsonRow, mapTable, type SelectedRow } from './records.ts'
import { createRemovals } from './removals.ts'

/**
 * Maximum number of ids or hashes per statement. Lookups are combined, because every request starts by finding its
 * caller.
 */
const maxReads = 256

const organizations = mapTable('organizations')
const apiKeys = mapTable('apiKeys')

export const createTenancy = ({ query, read }: PostgresDatabase) =>
  ({
    saveOrganization: async (organization) => {
      if (await saveOrganization(query, organization)) return 'saved'
      if (organization.revision > 1) return 'stale'
      // The removal of an organization with the same id may still be under way.
      await createRemovals(query).endAll()
      return (await saveOrganization(query, organization)) ? 'saved' : 'stale'
    },
    findOrganization: createBatches<string, OrganizationRecord | undefined>({
      maxItems: maxReads,
      maxConcurrent: 2,
      write: async (ids) => {
        const rows = await read<SelectedRow>(
          'SELECT row_to_json(o) AS row FROM wabakit.organizations o WHERE o.id = ANY ($1) AND o.revision > 0',
          [[...new Set(ids)]],
        )
        const found = new Map(rows.map(({ row }) => [row.id, organizations.toRecord(row)]))
        return ids.map((id) => found.get(id))
      },
    }),
    listOrganizations: async ({ cursor = '0', limit }) => {
      const rows = await read<SelectedRow>(
        `SELECT row_to_json(o) AS row FROM wabakit.organizations o
       WHERE o.position > $1 AND o.revision > 0 ORDER BY o.position LIMIT $2`,
        [parsePosition(cursor), limit + 1],
      )
      return toPage({
        rows,
        limit,
        toItem: ({ row }) => organizations.toRecord(row),
        toCursor: ({ row }) => String(row.position),
      })
    },
    removeOrganization: async (organizationId) =>
      (await removeOrganization(query, organizationId)) ? createRemovals(query).end(true) : false,

    addApiKey: async (key) => ((await addApiKey(query, key)) ? 'added' : 'taken'),
    listApiKeys: async (organizationId) => {
      const rows = await read<SelectedRow>(
        `SELECT row_to_json(k) AS row FROM wabakit.api_keys k
       WHERE k.organization_id = $1 ORDER BY k.position`,
        [organizationId],
      )
      return rows.map(({ row }) => apiKeys.toRecord(row))
    },
    removeApiKey: async (organizationId, keyId) => {
      const removed = await query(
        'DELETE FROM wabakit.api_keys WHERE organization_id = $1 AND id = $2 RETURNING hash',
        [organizationId, keyId],
      )
      return removed.length > 0
    },
    findCaller: createBatches<string, CallerRecord | undefined>({
      maxItems: maxReads,
      maxConcurrent: 2,
      write: async (hashes) => {
        const rows = await read<{ key: JsonRow; organization: JsonRow }>(
          `SELECT row_to_json(k) AS key, row_to_json(o) AS organization
         FROM wabakit.api_keys k JOIN wabakit.organizations o ON o.id = k.organization_id WHERE k.hash = ANY ($1)`,
          [[...new Set(hashes)]],
        )
        const found = new Map(
          rows.map(({ key, organization }) => [
            key.hash,
            { key: apiKeys.toRecord(key), organization: organizations.toRecord(organization) },
          ]),
        )
        return hashes.map((hash) => found.get(hash))
      },
    }),
  }) satisfies Partial<Store>
