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
import type { StoredRecords, TableName } from '../columns.ts'
import { toPage } from '../page.ts'
import { createBatches } from './batches.ts'
import { createConditions } from './conditions.ts'
import type { PostgresDatabase } from './open-postgres.ts'
import { ifOrganizationExists, type JsonRow, mapTable, type SelectedRow } from './records.ts'

export type Changes = Pick<
  Store,
  | 'createGroup'
  | 'findGroup'
  | 'saveParticipant'
  | 'findParticipant'
  | 'listParticipants'
  | 'saveCall'
  | 'findCall'
  | 'listCalls'
  | 'saveSummary'
  | 'addEvent'
>

/** How changes of one kind become a statement. */
type ChangeKind<Change, Table extends TableName> = {
  /** The SQL function that makes these changes. */
  readonly name: string
  readonly table: Table
  getRecord(change: Change): StoredRecords[Table]
  /** Returns what identifies the record in its organization. A statement has at most one change of each record. */
  getKey(change: Change): readonly string[]
}

/** The result of an SQL function. */
type Result = {
  /** The ordinals, from 1, of the changes that were made as requested. */
  readonly done: readonly number[]
  readonly due: boolean
}

/** An existing group with the key of a requested one. */
type KeptGroup = Pick<GroupCreationOutcome, 'outcome'> & { readonly ordinal: number; readonly group: JsonRow }

/** Maximum number of changes per statement. Each locks lanes, and PostgreSQL's lock table is limited. */
const maxChanges = 32

const groups = mapTable('groups')
const participants = mapTable('participants')
const calls = mapTable('calls')
const summaries = mapTable('summaries')
const events = mapTable('events')

const getOrganizationIds = (records: readonly { readonly organizationId: string }[]): string[] =>
  records.map(({ organizationId }) => organizationId)

/** Changes in PostgreSQL. Concurrent changes share a statement, which is a transaction of its own. */
export const createChanges = ({ query, read, due: channel }: PostgresDatabase): Changes => {
  const run = async <Row extends { readonly due: boolean }>(sql: string, values: readonly unknown[]) => {
    const [row] = await query<Row>(sql, values)
    if (row?.due) channel.announce()
    return row
  }

  const createChange = <
    Change extends { readonly event: EventRecord | null },
    Table extends 'groups' | 'participants' | 'calls' | 'summaries',
    Row extends Result,
    Outcome,
  >(
    { name, table, getRecord, getKey }: ChangeKind<Change, Table>,
    toOutcome: (isDone: boolean, change: Change, ordinal: number, result: Row | undefined) => Outcome,
  ) => {
    const { toRow } = mapTable(table)
    return createBatches<Change, Outcome>({
      maxItems: maxChanges,
      maxConcurrent: 2,
      getKey: (change) => JSON.stringify([getRecord(change).organizationId, ...getKey(change)]),
      write: async (changes) => {
        const records = changes.map(getRecord)
        const result = await run<Row>(`SELECT * FROM wabakit.${name}($1, $2, $3)`, [
          getOrganizationIds(records),
          JSON.stringify(records.map(toRow)),
          JSON.stringify(changes.map(({ event }) => (event === null ? {} : events.toRow(event)))),
        ])
        const done = new Set(result?.done)
        return changes.map((change, index) => toOutcome(done.has(index + 1), change, index + 1, result))
      },
    })
  }

  return {
    createGroup: createChange<
      GroupCreation,
      'groups',
      Result & { kept: KeptGroup[] | null },
      GroupCreationOutcome
    >(
      {
        name: 'create_groups',
        table: 'groups',
        getRecord: ({ group }) => group,
        getKey: ({ group }) => [group.clientCustomGroupId],
      },
      (isCreated, { group }, at, result) => {
        const kept = isCreated ? undefined : result?.kept?.find(({ ordinal }) => ordinal === at)
        return kept === undefined
          ? { outcome: isCreated ? 'created' : 'conflict', group }
          : { outcome: kept.outcome, group: groups.toRecord(kept.group) }
      },
    ),
    findGroup: async (organizationId, groupId) => {
      const [found] = await read<SelectedRow>(
        `SELECT row_to_json(g) AS row FROM wabakit.groups g
         WHERE g.organization_id = $1 AND g.client_custom_group_id = $2 AND ${ifOrganizationExists('$1')}`,
        [organizationId, groupId],
      )
      return found && groups.toRecord(found.row)
    },
    saveParticipant: createChange<ParticipantChange, 'participants', Result, SaveOutcome>(
      {
        name: 'save_participants',
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
    listParticipants: async (organizationId, digits) => {
      const rows = await read<SelectedRow>(
        `SELECT row_to_json(p) AS row FROM wabakit.participants p
         WHERE p.organization_id = $1 AND p.digits = $2 AND ${ifOrganizationExists('$1')}`,
        [organizationId, digits],
      )
      return rows.map(({ row }) => participants.toRecord(row))
    },
    saveCall: createChange<CallChange, 'calls', Result, SaveOutcome>(
      {
        name: 'save_calls',
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
    listCalls: async ({ organizationId, customerDigits, cursor, limit }) => {
      const where = createConditions()
        .and('c.organization_id = ?', organizationId)
        .and(ifOrganizationExists('?'), organizationId)
        .andIf(`translate(c.customer_number, '+ .()-', '') = ?`, customerDigits)
        .andIf('c.call_id > ?', cursor)
      const rows = await read<SelectedRow>(
        `SELECT row_to_json(c) AS row FROM wabakit.calls c
         WHERE ${where.sql} ORDER BY c.call_id LIMIT ${where.addValue(limit + 1)}`,
        where.values,
      )
      return toPage({
        rows,
        limit,
        isFollowed: false,
        toItem: ({ row }) => calls.toRecord(row),
        toCursor: ({ row }) => String(row.call_id),
      })
    },
    saveSummary: createChange<SummaryChange, 'summaries', Result, 'first' | 'replaced'>(
      {
        name: 'save_summaries',
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
        await run('SELECT wabakit.add_events($1, $2) AS due', [
          getOrganizationIds(added),
          JSON.stringify(added.map(events.toRow)),
        ])
        return added.map(() => undefined)
      },
    }),
  }
}
