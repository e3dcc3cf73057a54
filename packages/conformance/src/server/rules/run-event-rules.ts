import { endpoints } from '@wabakit/contract'
import { type ApiExchange, parseJson, readField } from '../api/api-request.ts'
import type { Lab } from '../lab.ts'
import type { ServerRules } from '../server-rule.ts'
import { type ReceivedWebhook, withoutRedeliveries } from '../webhooks/received-webhook.ts'
import { isStorable, judgeCalls, judgeWebhooks, toDigits } from './witness.ts'

/** Tolerated difference between two clocks, in milliseconds: the tolerance of webhook-timestamp. */
const maxSkewMs = 300_000
/** The largest offset of a time zone, in milliseconds. A clock that is further off was set on purpose, as a mock's. */
const maxOffsetMs = 14 * 3_600_000
/** Time zones differ by multiples of half an hour. */
const zoneStepMs = 1_800_000
/** Times before this one are seconds that were read as milliseconds. */
const oldest = Date.UTC(1980)
/** Longest time from the end of a call to the arrival of its CALL_ENDED, if both clocks are right, in milliseconds. */
const maxTransitMs = 120_000

/** Finds an event field whose name ends in `At` and whose value is a wrong time. */
const findTime = (json: unknown, isWrong: (time: number) => boolean): string | undefined =>
  Object.entries(Object(json))
    .filter(([name, value]) => name.endsWith('At') && typeof value === 'string')
    .find(([, value]) => isWrong(Date.parse(String(value))))
    ?.join(' ')

/** Returns whether an exchange created a group on the subscribed number, with an id that events can carry. */
const createsGroup =
  ({ wabaNumber }: Lab) =>
  ({ request, response }: ApiExchange): boolean => {
    const { path, body = '' } = request
    const isCreated = path === endpoints['groups.create'].path && response.status === 200
    return (
      isCreated &&
      isStorable(body) &&
      typeof readField(response.json, 'groupId') === 'string' &&
      toDigits(readField(parseJson(body), 'wabaNumber')) === toDigits(wabaNumber)
    )
  }

/** Rules for events that judge the whole run. */
export const runEventRules: ServerRules = {
  'events.group-created.one-for-every-group': {
    title: 'Every group that the run created has one GROUP_CREATED, whatever its fields',
    clause: 'rule 3 of "Create WhatsApp group": a GROUP_CREATED webhook follows',
    expected: 'one GROUP_CREATED for each create request with status 200',
    severity: 'high',
    needs: ['--listen'],
    examine: async ({ lab, scenes }) => {
      await scenes.settle()
      const created = Map.groupBy(lab.exchanges.filter(createsGroup(lab)), ({ response }) =>
        String(readField(response.json, 'groupId')),
      )
      const endsAt = performance.now() + lab.wait.timeoutMs
      for (const [id, [exchange]] of created) {
        const leftMs = Math.max(0, endsAt - performance.now())
        const isCreated = ({ event, groupId }: ReceivedWebhook): boolean =>
          event === 'GROUP_CREATED' && groupId === id
        const first = await lab.listener?.waitFor(isCreated, leftMs)
        const requests = exchange && [exchange.request]
        if (first === undefined) return { kept: false, observed: `no GROUP_CREATED for ${id}`, requests }
      }
      const accepted = withoutRedeliveries(lab.listener?.webhooks ?? []).filter(
        ({ event, status }) => event === 'GROUP_CREATED' && status === 204,
      )
      // How often a repeated request publishes the event is a rule of its own.
      const twice = [...created].find(
        ([id, exchanges]) =>
          exchanges.length === 1 && accepted.filter(({ groupId }) => groupId === id).length > 1,
      )
      if (twice === undefined)
        return { kept: created.size > 0 ? true : undefined, observed: `${created.size} groups` }
      const [id, exchanges] = twice
      return {
        kept: false,
        observed: `several GROUP_CREATED for ${id}`,
        requests: exchanges.map(({ request }) => request),
      }
    },
  },
  'events.subject.belongs-to-the-run': {
    title: 'Every callId and groupId in an event is one of this run',
    clause: '"Event kinds named": an event is about its call or group',
    expected: 'ids of calls that were played and of groups that were created',
    severity: 'critical',
    needs: ['--listen'],
    risk: 'A receiver gets events of other customers, or cannot find the call or group that an event is about.',
    fix: 'Publish the id of the call or group itself. If others use these numbers, examine the server while they do not.',
    examine: judgeWebhooks(({ callId, groupId }, { calls, groups }) => {
      if (callId !== '' && calls !== undefined && !calls.has(callId)) return `callId ${callId}`
      return groupId !== '' && !groups.has(groupId) ? `groupId ${groupId}` : undefined
    }),
  },
  'events.call.ids-differ': {
    title: 'No two calls have the same callId',
    clause: '"Call AI summary event payload": callId identifies the call',
    expected: 'another callId for each call',
    severity: 'high',
    needs: ['--play'],
    examine: async ({ lab, scenes }) => {
      await scenes.settle()
      const [repeated] = lab.repeatedIds
      const count = lab.callIds()?.size ?? 0
      return {
        kept: count < 2 && repeated === undefined ? undefined : repeated === undefined,
        observed: repeated === undefined ? `${count} different ids` : `${repeated} twice`,
      }
    },
  },
  'events.times.are-not-in-the-future': {
    title: 'No event states a time in the future',
    clause: '"Event kinds named": an event reports what has happened; decision 0004',
    expected: 'times before the arrival of the event',
    severity: 'high',
    needs: ['--listen'],
    examine: judgeWebhooks(({ json, arrivedAt }) => findTime(json, (time) => time > arrivedAt + maxSkewMs)),
  },
  'events.times.of-groups-are-in-utc': {
    title:
      'No event of a group states a time that is hours before the group was created, or in the wrong unit',
    clause: '"Event kinds named": an event reports what has happened; decision 0004',
    expected: 'times in UTC, or with their offset',
    severity: 'high',
    needs: ['--listen'],
    examine: (examination) =>
      judgeWebhooks(
        ({ json }) =>
          findTime(json, (time) => {
            const earlyMs = examination.lab.startedAt - time
            return time < oldest || (earlyMs > maxSkewMs && earlyMs < maxOffsetMs + maxSkewMs)
          }),
        ({ groupId }) => groupId !== '',
      )(examination),
  },
  'events.times.of-calls-are-in-utc': {
    title: 'No call ends hours before or after its CALL_ENDED arrives, as in another time zone',
    clause: '"Call AI summary event payload": callEndedAt is an ISO 8601 timestamp; decision 0004',
    expected: 'times in UTC, or with their offset',
    severity: 'high',
    needs: ['--listen', '--play'],
    examine: judgeCalls(({ webhooks }) => {
      const ended = webhooks.find(({ event }) => event === 'CALL_ENDED')
      const summary = webhooks.find(({ event }) => event === 'CALL_AI_SUMMARY')
      const endedAt = readField(summary?.json, 'callEndedAt')
      const lateMs = (ended?.arrivedAt ?? Number.NaN) - Date.parse(String(endedAt))
      const offsetMs = Math.round(lateMs / zoneStepMs) * zoneStepMs
      const isZone =
        offsetMs !== 0 && Math.abs(offsetMs) <= maxOffsetMs && Math.abs(lateMs - offsetMs) < maxTransitMs
      return {
        kept: Number.isNaN(lateMs) ? undefined : !isZone && Date.parse(String(endedAt)) >= oldest,
        observed: `callEndedAt ${endedAt}, CALL_ENDED ${Math.round(lateMs / 1_000)} s later`,
      }
    }),
  },
  'events.summary.names-the-customer-of-its-call': {
    title: 'CALL_AI_SUMMARY names the customer of the other events of its call',
    clause: '"CALL_AI_SUMMARY": one event per call',
    expected: 'the customerNumber of CALL_ENDED',
    severity: 'critical',
    needs: ['--listen', '--play'],
    risk: "A customer's words are filed under another customer.",
    examine: judgeCalls(({ webhooks }) => {
      const [summary, ended] = ['CALL_AI_SUMMARY', 'CALL_ENDED'].map((name) =>
        toDigits(readField(webhooks.find(({ event }) => event === name)?.json, 'customerNumber')),
      )
      const kept = summary === '' || ended === '' ? undefined : summary === ended
      return { kept, observed: `customerNumber ${ended}, then ${summary}` }
    }),
  },
}
