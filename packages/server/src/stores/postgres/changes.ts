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
import { createNewest } from './newest-first.ts'
import type { PostgresDatabase } from './open-postgres.ts'
import { createReads, ifOrganizationExists, type JsonRow, mapTable } from './records.ts'

/** The rules for combining changes of one kind into a statement. */
type ChangeKind<Change, Table extends ChangedTable> = {
  readonly table: Table
  getRecord(change: Change): StoredRecords[Table]
  /** Returns the key of the record in its organization. A statement has at most one change to each record. */
  getKey(change: Change): readonly string[]
}

/**
 * Maximum number of changes per statement. Each change takes advisory locks, of its organization, its subject and the
 * subscriptions that get its event, and PostgreSQL's lock table is limited.
 */
const maxChanges = 32

const groups = mapTable('groups')
const calls = mapTable('calls')
const summaries = mapTable('summaries')

/**
 * Creates the methods for groups, participants, calls and summaries in PostgreSQL, and those that publish events. Concurrent
 * changes of one kind share a statement, and thus a transaction.
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

  const groupReads = createReads(read, 'groups')
  const participants = createReads(read, 'participants')
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
    findGroup: (organizationId, groupId) =>
      groupReads.find(
        `FROM wabakit.groups r
         WHERE r.organization_id = $1 AND r.client_custom_group_id = $2 AND ${ifOrganizationExists('$1')}`,
        [organizationId, groupId],
      ),
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
    findParticipant: ({ organizationId, groupId, digits }) =>
      participants.find(
        `FROM wabakit.participants r
         WHERE r.organization_id = $1 AND r.group_id = $2 AND r.digits = $3 AND ${ifOrganizationExists('$1')}`,
        [organizationId, groupId, digits],
      ),
    listMembers: ({ organizationId, groupId, cursor = '', limit }) =>
      participants.readPage(
        `FROM wabakit.participants r
         WHERE r.organization_id = $1 AND r.group_id = $2 AND r.digits > $3 AND ${ifOrganizationExists('$1')}
         ORDER BY r.digits LIMIT $4`,
        { values: [organizationId, groupId, cursor], limit, column: 'digits' },
      ),
    countMembers: async (organizationId, groupIds) => {
      const rows = await read<{ count: number }>(
        `SELECT (
           SELECT count(*)::integer FROM wabakit.participants r
           WHERE r.organization_id = $1 AND r.group_id = asked.id AND r.state = 'joined'
             AND ${ifOrganizationExists('$1')}
         ) AS count
         FROM unnest($2::text[]) WITH ORDINALITY AS asked(id, place) ORDER BY place`,
        [organizationId, groupIds],
      )
      return rows.map(({ count }) => count)
    },
    listParticipants: (organizationId, digits) =>
      participants.list(
        `FROM wabakit.participants r
         WHERE r.organization_id = $1 AND r.digits = $2 AND ${ifOrganizationExists('$1')}`,
        [organizationId, digits],
      ),
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
      const pattern = text && toLikePattern(text)
      const page = await listNewestCalls(selection, (all) => {
        const where = all
          .andIf(`translate(r.customer_number, '+ .()-', '') = ?`, customerDigits)
          .andIf('r.state = ?', state)
        if (pattern === undefined) return where
        return where.and('(r.call_id ILIKE ? OR r.customer_number COLLATE "C" ILIKE ?)', pattern, pattern)
      })
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
