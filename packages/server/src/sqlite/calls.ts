import type { DatabaseSync } from 'node:sqlite'
import { CallDirection, CallType, Channel, TriggeredVia } from '@wabakit/contract'
import type { CallChange, CallRecord, SaveOutcome } from '@wabakit/core'
import * as z from 'zod/mini'
import { flagColumn, toFlag } from './column.ts'
import type { Events } from './events.ts'
import { createRevisions } from './revisions.ts'

const CallRow: z.ZodMiniType<CallRecord> = z.object({
  organizationId: z.string(),
  callId: z.string(),
  revision: z.number(),
  state: z.enum(['initiated', 'accepted', 'ended', 'missed', 'rejected', 'not_picked']),
  channel: Channel,
  direction: CallDirection,
  channelNumber: z.string(),
  digits: z.string(),
  customerNumber: z.string(),
  agentNumber: z.nullable(z.string()),
  callType: CallType,
  triggeredVia: TriggeredVia,
  emitsEvents: flagColumn,
  initiatedAt: z.number(),
  startedAt: z.nullable(z.number()),
  endedAt: z.nullable(z.number()),
  durationInSeconds: z.nullable(z.number()),
  recorded: z.nullable(flagColumn),
  spoken: z.nullable(flagColumn),
})

const fields = [
  'revision',
  'state',
  'channel',
  'direction',
  'channelNumber',
  'digits',
  'customerNumber',
  'agentNumber',
  'callType',
  'triggeredVia',
  'emitsEvents',
  'initiatedAt',
  'startedAt',
  'endedAt',
  'durationInSeconds',
  'recorded',
  'spoken',
]

/** The table of calls. */
export type Calls = {
  save(change: CallChange): SaveOutcome
  find(organizationId: string, callId: string): CallRecord | undefined
}

/** Makes the access to the table. */
export const createCalls = (database: DatabaseSync, events: Events): Calls => {
  const save = createRevisions(database, { table: 'calls', key: ['organizationId', 'callId'], fields })
  const find = database.prepare('select * from calls where organizationId = ? and callId = ?')

  return {
    save: ({ call, event }) => {
      const outcome = save({
        revision: call.revision,
        key: [call.organizationId, call.callId],
        fields: [
          call.state,
          call.channel,
          call.direction,
          call.channelNumber,
          call.digits,
          call.customerNumber,
          call.agentNumber,
          call.callType,
          call.triggeredVia,
          toFlag(call.emitsEvents),
          call.initiatedAt,
          call.startedAt,
          call.endedAt,
          call.durationInSeconds,
          toFlag(call.recorded),
          toFlag(call.spoken),
        ],
      })
      if (outcome === 'saved' && event !== null) events.tell(event)
      return outcome
    },
    find: (organizationId, callId) => {
      const row = find.get(organizationId, callId)
      return row && CallRow.parse(row)
    },
  }
}
