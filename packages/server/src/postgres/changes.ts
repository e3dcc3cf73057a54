import type {
  CallRecord,
  CallSummaryRecord,
  GroupCreationOutcome,
  GroupRecord,
  ParticipantRecord,
  Store,
} from '@wabakit/core'
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

/** What every change says: whether it made a delivery due. */
type Change = { readonly due: boolean }

const json = (record: object | null): string | null => record && JSON.stringify(record)

/** Makes them in PostgreSQL: one statement each. */
export const createChanges = ({ query, due: channel }: PostgresDatabase): Changes => {
  const change = async <Outcome extends Change>(sql: string, ...records: (object | null)[]) => {
    const [outcome] = await query<Outcome>(sql, records.map(json))
    if (outcome?.due) channel.announce()
    return outcome
  }

  return {
    createGroup: async ({ group, event }) => {
      const made = await change<Change & { outcome: GroupCreationOutcome['outcome']; kept: GroupRecord }>(
        'SELECT * FROM wabakit.create_group($1, $2)',
        group,
        event,
      )
      return { outcome: made?.outcome ?? 'conflict', group: made?.kept ?? group }
    },
    findGroup: async (organizationId, groupId) => {
      const [row] = await query<{ record: GroupRecord }>(
        `SELECT wabakit.record(g) AS record FROM wabakit.groups g
         WHERE g.organization_id = $1 AND g.client_custom_group_id = $2`,
        [organizationId, groupId],
      )
      return row?.record
    },
    saveParticipant: async ({ participant, event }) => {
      const made = await change<Change & { saved: boolean }>(
        'SELECT * FROM wabakit.save_participant($1, $2)',
        participant,
        event,
      )
      return made?.saved ? 'saved' : 'stale'
    },
    findParticipant: async ({ organizationId, groupId, digits }) => {
      const [row] = await query<{ record: ParticipantRecord }>(
        `SELECT wabakit.record(p) AS record FROM wabakit.participants p
         WHERE p.organization_id = $1 AND p.group_id = $2 AND p.digits = $3`,
        [organizationId, groupId, digits],
      )
      return row?.record
    },
    saveCall: async ({ call, event }) => {
      const made = await change<Change & { saved: boolean }>(
        'SELECT * FROM wabakit.save_call($1, $2)',
        call,
        event,
      )
      return made?.saved ? 'saved' : 'stale'
    },
    findCall: async (organizationId, callId) => {
      const [row] = await query<{ call: CallRecord; summary: CallSummaryRecord | null }>(
        `SELECT wabakit.record(c) AS call, CASE WHEN s.call_id IS NOT NULL THEN wabakit.record(s) END AS summary
         FROM wabakit.calls c
         LEFT JOIN wabakit.summaries s ON s.organization_id = c.organization_id AND s.call_id = c.call_id
         WHERE c.organization_id = $1 AND c.call_id = $2`,
        [organizationId, callId],
      )
      return row && { call: row.call, summary: row.summary ?? undefined }
    },
    saveSummary: async ({ summary, event }) => {
      const made = await change<Change & { is_first: boolean }>(
        'SELECT * FROM wabakit.save_summary($1, $2)',
        summary,
        event,
      )
      return made?.is_first ? 'first' : 'replaced'
    },
    addEvent: async (event) => {
      await change('SELECT wabakit.add_event($1) AS due', event)
    },
  }
}
