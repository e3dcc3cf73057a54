import type { ApiKeyRecord, CallerRecord, OrganizationRecord, Store } from '@wabakit/core'
import { parseCursor } from '../stores/cursor.ts'
import { createBatches } from './batches.ts'
import type { PostgresDatabase } from './open-postgres.ts'
import { pageOf } from './paging.ts'

/** Organizations and their keys. */
export type Tenancy = Pick<
  Store,
  | 'saveOrganization'
  | 'findOrganization'
  | 'listOrganizations'
  | 'removeOrganization'
  | 'addApiKey'
  | 'listApiKeys'
  | 'removeApiKey'
  | 'findCaller'
>

/** Most look-ups of one statement: every request begins with one. */
const mostReads = 256

/** Keeps them in PostgreSQL. */
export const createTenancy = ({ query, read }: PostgresDatabase): Tenancy => ({
  saveOrganization: async (organization) => {
    const [row] = await query<{ saved: boolean }>('SELECT wabakit.save_organization($1) AS saved', [
      JSON.stringify(organization),
    ])
    return row?.saved ? 'saved' : 'stale'
  },
  findOrganization: createBatches<string, OrganizationRecord | undefined>({
    largest: mostReads,
    most: 2,
    write: async (ids) => {
      const rows = await read<{ record: OrganizationRecord }>(
        'SELECT wabakit.record(o) AS record FROM wabakit.organizations o WHERE o.id = ANY ($1)',
        [[...new Set(ids)]],
      )
      const found = new Map(rows.map(({ record }) => [record.id, record]))
      return ids.map((id) => found.get(id))
    },
  }),
  listOrganizations: async ({ cursor = '0', limit }) => {
    const [after] = parseCursor(cursor, 1)
    const rows = await read<{ record: OrganizationRecord; cursor: string }>(
      `SELECT wabakit.record(o) AS record, o.position::text AS cursor FROM wabakit.organizations o
       WHERE o.position > $1 ORDER BY o.position LIMIT $2`,
      [after, limit + 1],
    )
    return pageOf({ rows, limit, isFollowed: false })
  },
  removeOrganization: async (organizationId) => {
    const [row] = await query<{ removed: boolean }>(
      'SELECT wabakit.remove_organization($1) AS removed',
      [organizationId],
      { isLong: true },
    )
    return row?.removed ?? false
  },

  addApiKey: async (key) => {
    const [row] = await query<{ added: boolean }>('SELECT wabakit.add_api_key($1) AS added', [
      JSON.stringify(key),
    ])
    return row?.added ? 'added' : 'taken'
  },
  listApiKeys: async (organizationId) => {
    const rows = await read<{ record: ApiKeyRecord }>(
      `SELECT wabakit.record(k) AS record FROM wabakit.api_keys k
       WHERE k.organization_id = $1 ORDER BY k.position`,
      [organizationId],
    )
    return rows.map(({ record }) => record)
  },
  removeApiKey: async (organizationId, keyId) => {
    const removed = await query(
      'DELETE FROM wabakit.api_keys WHERE organization_id = $1 AND id = $2 RETURNING hash',
      [organizationId, keyId],
    )
    return removed.length > 0
  },
  findCaller: createBatches<string, CallerRecord | undefined>({
    largest: mostReads,
    most: 2,
    write: async (hashes) => {
      const rows = await read<CallerRecord>(
        `SELECT wabakit.record(k) AS key, wabakit.record(o) AS organization
         FROM wabakit.api_keys k JOIN wabakit.organizations o ON o.id = k.organization_id WHERE k.hash = ANY ($1)`,
        [[...new Set(hashes)]],
      )
      const found = new Map(rows.map(({ key, organization }) => [key.hash, { key, organization }]))
      return hashes.map((hash) => found.get(hash))
    },
  }),
})
