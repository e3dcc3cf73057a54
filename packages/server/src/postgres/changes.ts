import type {
  CallChange,
  CallRecord,
  CallSummaryRecord,
  EventRecord,
  GroupCreation,
  GroupCreationOutcome,
  GroupRecord,
  ParticipantChange,
  ParticipantRecord,
  SaveOutcome,
  Store,
  SummaryChange,
} from '@wabakit/core'
import { createBatches } from './batches.ts'
import type { PostgresDatabase } from './open-postgres.ts'

/** Groups, participants, calls and summaries; each change with its event. */
export type Changes = Pick<
  Store,
  | 'createGroup'
  | 'findGroup'
  | 'saveParticipant'
  | 'findParticipant'
  | 'saveCall'
  | 'findCall'
  | 'saveSummary'
  | 'addEvent'
>

/** What becomes a statement: records, the events that their changes report, and what makes two records the same. */
type Kind<Item> = {
  /** Our function that makes these changes. */
  readonly name: string
  recordOf(item: Item): { readonly organizationId: string }
  keyOf(item: Item): readonly string[]
}

/** What our functions say of several changes. */
type Made = {
  /** The places, from 1, of those that were made as they were asked for. */
  readonly done: readonly number[]
  readonly due: boolean
}

/** A group that was there, in the place of the one that was asked for. */
type Kept = GroupCreationOutcome & { readonly place: number }

/** Most changes of one statement: each locks lanes, and PostgreSQL's table of locks has a limit. */
const largest = 32

const organizationIds = (records: readonly { readonly organizationId: string }[]): string[] =>
  records.map(({ organizationId }) => organizationId)

/** Makes them in PostgreSQL: those that come together in one statement, which is a transaction of its own. */
export const createChanges = ({ query, read, due: channel }: PostgresDatabase): Changes => {
  const ask = async <Row extends { readonly due: boolean }>(sql: string, values: readonly unknown[]) => {
    const [row] = await query<Row>(sql, values)
    if (row?.due) channel.announce()
    return row
  }

  /** Makes changes that come together, and tells of each what `outcomeOf` makes of its place. */
  const createChange = <Item extends { readonly event: EventRecord | null }, Row extends Made, Outcome>(
    { name, recordOf, keyOf }: Kind<Item>,
    outcomeOf: (isDone: boolean, item: Item, place: number, made: Row | undefined) => Outcome,
  ) =>
    createBatches<Item, Outcome>({
      largest,
      most: 2,
      keyOf: (item) => JSON.stringify([recordOf(item).organizationId, ...keyOf(item)]),
      write: async (items) => {
        const records = items.map(recordOf)
        const made = await ask<Row>(`SELECT * FROM wabakit.${name}($1, $2, $3)`, [
          organizationIds(records),
          JSON.stringify(records),
          JSON.stringify(items.map(({ event }) => event ?? {})),
        ])
        const done = new Set(made?.done)
        return items.map((item, index) => outcomeOf(done.has(index + 1), item, index + 1, made))
      },
    })

  return {
    createGroup: createChange<GroupCreation, Made & { kept: Kept[] | null }, GroupCreationOutcome>(
      {
        name: 'create_groups',
        recordOf: ({ group }) => group,
        keyOf: ({ group }) => [group.clientCustomGroupId],
      },
      (isCreated, { group }, at, made) => {
        const kept = isCreated ? undefined : made?.kept?.find(({ place }) => place === at)
        return kept === undefined
          ? { outcome: isCreated ? 'created' : 'conflict', group }
          : { outcome: kept.outcome, group: kept.group }
      },
    ),
    findGroup: async (organizationId, groupId) => {
      const [row] = await read<{ record: GroupRecord }>(
        `SELECT wabakit.record(g) AS record FROM wabakit.groups g
         WHERE g.organization_id = $1 AND g.client_custom_group_id = $2`,
        [organizationId, groupId],
      )
      return row?.record
    },
    saveParticipant: createChange<ParticipantChange, Made, SaveOutcome>(
      {
        name: 'save_participants',
        recordOf: ({ participant }) => participant,
        keyOf: ({ participant: { groupId, digits } }) => [groupId, digits],
      },
      (isSaved) => (isSaved ? 'saved' : 'stale'),
    ),
    findParticipant: async ({ organizationId, groupId, digits }) => {
      const [row] = await read<{ record: ParticipantRecord }>(
        `SELECT wabakit.record(p) AS record FROM wabakit.participants p
         WHERE p.organization_id = $1 AND p.group_id = $2 AND p.digits = $3`,
        [organizationId, groupId, digits],
      )
      return row?.record
    },
    saveCall: createChange<CallChange, Made, SaveOutcome>(
      { name: 'save_calls', recordOf: ({ call }) => call, keyOf: ({ call }) => [call.callId] },
      (isSaved) => (isSaved ? 'saved' : 'stale'),
    ),
    findCall: async (organizationId, callId) => {
      const [row] = await read<{ call: CallRecord; summary: CallSummaryRecord | null }>(
        `SELECT wabakit.record(c) AS call, CASE WHEN s.call_id IS NOT NULL THEN wabakit.record(s) END AS summary
         FROM wabakit.calls c
         LEFT JOIN wabakit.summaries s ON s.organization_id = c.organization_id AND s.call_id = c.call_id
         WHERE c.organization_id = $1 AND c.call_id = $2`,
        [organizationId, callId],
      )
      return row && { call: row.call, summary: row.summary ?? undefined }
    },
    saveSummary: createChange<SummaryChange, Made, 'first' | 'replaced'>(
      {
        name: 'save_summaries',
        recordOf: ({ summary }) => summary,
        keyOf: ({ summary }) => [summary.callId],
      },
      (isFirst) => (isFirst ? 'first' : 'replaced'),
    ),
    addEvent: createBatches<EventRecord, void>({
      largest,
      most: 2,
      keyOf: ({ id }) => id,
      write: async (events) => {
        await ask('SELECT wabakit.add_events($1, $2) AS due', [
          organizationIds(events),
          JSON.stringify(events),
        ])
        return events.map(() => undefined)
      },
    }),
  }
}
