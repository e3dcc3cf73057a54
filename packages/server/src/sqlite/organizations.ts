import type { DatabaseSync } from 'node:sqlite'
import { JoinApprovalMode } from '@wabakit/contract'
import {
  type OrganizationRecord,
  type Page,
  type PageRequest,
  RecordNotFoundError,
  type SaveOutcome,
} from '@wabakit/core'
import * as z from 'zod/mini'
import { parseCursor } from '../stores/cursor.ts'
import { jsonColumn } from './column.ts'
import { pageOf } from './page.ts'
import { createRevisions } from './revisions.ts'

const number = { number: z.string(), digits: z.string() }
const integration = { ...number, enabled: z.boolean(), joinApprovalMode: JoinApprovalMode }

/** An organization as it is read. */
export const OrganizationRow: z.ZodMiniType<OrganizationRecord> = z.object({
  id: z.string(),
  revision: z.number(),
  callSummaries: z.enum(['automatic', 'manual']),
  integrations: jsonColumn(z.array(z.object(integration))),
  pstnNumbers: jsonColumn(z.array(z.object(number))),
  createdAt: z.number(),
})

/** The table of organizations. */
export type Organizations = {
  save(organization: OrganizationRecord): SaveOutcome
  find(organizationId: string): OrganizationRecord | undefined
  /** @throws RecordNotFoundError when there is no such organization. */
  require(organizationId: string): void
  list(page: PageRequest): Page<OrganizationRecord>
  remove(organizationId: string): boolean
}

/** Makes the access to the table. */
export const createOrganizations = (database: DatabaseSync): Organizations => {
  const save = createRevisions(database, {
    table: 'organizations',
    key: ['id'],
    fields: ['revision', 'callSummaries', 'integrations', 'pstnNumbers', 'createdAt'],
  })
  const find = database.prepare('select * from organizations where id = ?')
  const exists = database.prepare('select 1 from organizations where id = ?')
  const list = database.prepare('select * from organizations where seq > ? order by seq limit ?')
  const remove = database.prepare('delete from organizations where id = ?')

  return {
    save: ({ id, revision, callSummaries, integrations, pstnNumbers, createdAt }) =>
      save({
        revision,
        key: [id],
        fields: [callSummaries, JSON.stringify(integrations), JSON.stringify(pstnNumbers), createdAt],
      }),
    find: (organizationId) => {
      const row = find.get(organizationId)
      return row && OrganizationRow.parse(row)
    },
    require: (organizationId) => {
      if (exists.get(organizationId) === undefined)
        throw new RecordNotFoundError('organization', organizationId)
    },
    list: ({ cursor = '0', limit }) =>
      pageOf({
        rows: list.all(Number(parseCursor(cursor, 1)[0]), limit + 1),
        limit,
        isFollowed: false,
        item: (row) => OrganizationRow.parse(row),
        cursor: ({ seq }) => String(seq),
      }),
    remove: (organizationId) => Number(remove.run(organizationId).changes) > 0,
  }
}
