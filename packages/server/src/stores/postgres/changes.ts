import type {
  CallChange,
  EventRecord,
  GroupCreation,
  GroupCreationOutcome,
  ParticipantChange,
  SaveOutcome,
  Store,
  SummaryChange,
} from '@wabakit/core'
import { toPage } from '@wabakit/core/storage'
import type { StoredRecords } from '../columns.ts'
import { toLikePattern } from '../like-pattern.ts'
import { createBatches } from './batches.ts'
import { type ChangedTable, changeRecords, type ExistingGroup } from './functions/changes.ts'
import { addEvents } from './functions/events.ts'
import { createNewest } from './newest.ts'
import type { PostgresDatabase } from './open-postgres.ts'
import { ifOrganizationExists, type JsonRow, mapTable, type SelectedRow } from './records.ts'

/** The rules for combining changes of one kind into a statement. */
type ChangeKind<Change, Table extends ChangedTable> = {
  readonly table: Table
  getRecord(change: Change): StoredRecords[Table]
  /** Returns the key of the record in its organization. A statement has at most one change to each record. */
  getKey(change: Change): readonly string[]
}

/** Maximum number of changes per statement. Each change locks lanes, and PostgreSQL's lock table is limited. */
const maxChanges = 32

const groups = mapTable('groups')
const participants = mapTable('participants')
const calls = mapTable('calls')
const summaries = mapTable('summaries')

/**
 * Creates the methods that change records in PostgreSQL. Concurrent changes share a statement, and thus a transaction.
 */
export const createChanges = ({ query, read, queueChanges }: PostgresDatabase) => {
  const createChange = <
    Change extends { readonly event: EventRecord | null },
    Table extends ChangedTable,
    Outcome,
  >(
    { table, getRecord, getKey }: ChangeKind<Change, Table>,
    toOutcome: (isDone: boolean, change: Change, existing: ExistingGroup | undefined) => Outcome,
  ) =>
    createBatches<Change, Outcome>({
      maxItems: maxChanges,
      maxConcurrent: 2,
      getKey: (change) => JSON.stringify([getRecord(change).organizationId, ...getKey(change)]),
      write: async (changes) => {
        const result = await changeRecords(query, {
          table,
          records: changes.map(getRecord),
          events: changes.map(({ event }) => event),
        })
        queueChanges.emitAdded(result?.added ?? [])
        const done = new Set(result?.done)
        const existing = new Map(result?.existing?.map((group) => [group.ordinal, group]))
        return changes.map((change, index) => toOutcome(done.has(index + 1), change, existing.get(index + 1)))
      },
    })

  const listNewestCalls = createNewest(read, { table: 'calls', time: 'initiated_at', id: 'call_id' })
  const listNewestGroups = createNewest(read, {
    table: 'groups',
    time: 'created_at',
    id: 'client_custom_group_id',
  })

  return {
    createGroup: createChange<GroupCreation, 'groups', GroupCreationOutcome>(
      {
        table: 'groups',
        getRecord: ({ group }) => group,
        getKey: ({ group }) => [group.clientCustomGroupId],
      },
      (isCreated, { group }, existing) =>
        existing === undefined
          ? { outcome: isCreated ? 'created' : 'conflict', group }
          : { outcome: existing.outcome, group: groups.toRecord(existing.group) },
    ),
    findGroup: async (organizationId, groupId) => {
      const [found] = await read<SelectedRow>(
        `SELECT row_to_json(g) AS row FROM wabakit.groups g
         WHERE g.organization_id = $1 AND g.client_custom_group_id = $2 AND ${ifOrganizationExists('$1')}`,
        [organizationId, groupId],
      )
      return found && groups.toRecord(found.row)
    },
    listGroups: async (selection) => {
      const pattern = selection.text && toLikePattern(selection.text)
      const page = await listNewestGroups(selection, (where) =>
        pattern === undefined
          ? where
          : where.and(
              '(r.client_custom_group_id ILIKE ? OR r.subject COLLATE "C" ILIKE ?)',
              pattern,
              pattern,
            ),
      )
      return toPage({ ...page, toItem: ({ row }) => groups.toRecord(row) })
    },
    saveParticipant: createChange<ParticipantChange, 'participants', SaveOutcome>(
      {
        table: 'participants',
        getRecord: ({ participant }) => participant,
        getKey: ({ participant: { groupId, digits } }) => [groupId, digits],
      },
      (isSaved) => (isSaved ? 'saved' : 'stale'),
    ),
    findParticipant: async ({ organizationId, groupId, digits }) => {
      const [found] = await read<SelectedRow>(
        `SELECT row_to_json(p) AS row FROM wabakit.participants p
         WHERE p.organization_id = $1 AND p.group_id = $2 AND p.digits = $3
           AND ${ifOrganizationExists('$1')}`,
        [organizationId, groupId, digits],
      )
      return found && participants.toRecord(found.row)
    },
    listMembers: async ({ organizationId, groupId, cursor = '', limit }) => {
      const rows = await read<SelectedRow>(
        `SELECT row_to_json(p) AS row FROM wabakit.participants p
         WHERE p.organization_id = $1 AND p.group_id = $2 AND p.digits > $3 AND ${ifOrganizationExists('$1')}
         ORDER BY p.digits LIMIT $4`,
        [organizationId, groupId, cursor, limit + 1],
      )
      return toPage({
        rows,
        limit,
        toItem: ({ row }) => participants.toRecord(row),
        toCursor: ({ row }) => String(row.digits),
      })
    },
    listParticipants: async (organizationId, digits) => {
      const rows = await read<SelectedRow>(
        `SELECT row_to_json(p) AS row FROM wabakit.participants p
         WHERE p.organization_id = $1 AND p.digits = $2 AND ${ifOrganizationExists('$1')}`,
        [organizationId, digits],
      )
      return rows.map(({ row }) => participants.toRecord(row))
    },
    saveCall: createChange<CallChange, 'calls', SaveOutcome>(
      {
        table: 'calls',
        getRecord: ({ call }) => call,
        getKey: ({ call }) => [call.callId],
      },
      (isSaved) => (isSaved ? 'saved' : 'stale'),
    ),
    findCall: async (organizationId, callId) => {
      const [found] = await read<{ call: JsonRow; summary: JsonRow | null }>(
        `SELECT row_to_json(c) AS call, row_to_json(s) AS summary
         FROM wabakit.calls c
         LEFT JOIN wabakit.summaries s ON s.organization_id = c.organization_id AND s.call_id = c.call_id
         WHERE c.organization_id = $1 AND c.call_id = $2 AND ${ifOrganizationExists('$1')}`,
        [organizationId, callId],
      )
      return (
        found && {
          call: calls.toRecord(found.call),
          summary: found.summary === null ? undefined : summaries.toRecord(found.summary),
        }
      )
    },
    listCalls: async (selection) => {
      const { customerDigits, state, text } = selection
      const page = await listNewestCalls(selection, (where) =>
        where
          .andIf(`translate(r.customer_number, '+ .()-', '') = ?`, customerDigits)
          .andIf('r.state = ?', state)
          .andIf("r.call_id || ' ' || r.customer_number ILIKE ?", text && toLikePattern(text)),
      )
      return toPage({ ...page, toItem: ({ row }) => calls.toRecord(row) })
    },
    saveSummary: createChange<SummaryChange, 'summaries', 'first' | 'replaced'>(
      {
        table: 'summaries',
        getRecord: ({ summary }) => summary,
        getKey: ({ summary }) => [summary.callId],
      },
      (isFirst) => (isFirst ? 'first' : 'replaced'),
    ),
    addEvent: createBatches<EventRecord, void>({
      maxItems: maxChanges,
      maxConcurrent: 2,
      getKey: ({ id }) => id,
      write: async (added) => {
        queueChanges.emitAdded(await addEvents(query, added))
        return added.map(() => undefined)
      },
    }),
    addEventTo: async (event, subscriptionId) => {
      queueChanges.emitAdded(await addEvents(query, [event], subscriptionId))
    },
  } satisfies Partial<Store>
}
