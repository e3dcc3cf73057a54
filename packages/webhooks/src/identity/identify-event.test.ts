import { createHash } from 'node:crypto'
import { expect, it } from 'vitest'
import { identifyEvent } from './identify-event.ts'

const identify = (event: unknown, headers?: Record<string, string>) =>
  identifyEvent(typeof event === 'string' ? event : JSON.stringify(event), headers)

/** The key of a webhook: the kind of identity, and the SHA-256 of its source and `text`. */
const toKey = (identity: string, text: string) =>
  `${identity}:${createHash('sha256').update(`webhook\n${text}`).digest('hex')}`

const summary = {
  event: 'CALL_AI_SUMMARY',
  channel: 'PSTN',
  callId: 'c',
  callDirection: 'INCOMING',
  callStatus: 'END',
  durationInSeconds: 42,
  callStartedAt: '2026-01-05T10:00:00.000Z',
  callEndedAt: '2026-01-05T10:00:42.000Z',
  from: '+12025550101',
  to: '+12025550143',
  channelNumber: '+12025550101',
  customerNumber: '+12025550143',
  callType: 'AGENT',
  triggeredVia: 'INBOUND',
  summary: { recap: '', keyPoints: [], nextSteps: [] },
}
const created = { event: 'GROUP_CREATED', groupId: 'g', groupCreatedAt: '2026-01-05T09:00:00.000Z' }
const joined = {
  event: 'GROUP_PARTICIPANT_JOINED',
  groupId: 'g',
  customerPhone: '+12025550143',
  participantJoinedAt: '2026-01-05T09:05:00.000Z',
}
const at = '2026-01-06T17:45:00.000Z'

it('identifies an event by its delivery id, whatever its body and the form of the headers', async () => {
  const identified = { identity: 'id', key: toKey('id', 'msg_1') }
  const bodies = [summary, { event: 'CALL_NOT_PICKED', callId: 'c' }, { tagId: 't' }, 'not JSON']
  for (const body of bodies) {
    expect(await identify(body, { 'Webhook-Id': 'msg_1' })).toMatchObject(identified)
  }
  const headers = new Headers({ 'webhook-id': 'msg_1' })
  expect(await identifyEvent(new TextEncoder().encode('{}'), headers)).toMatchObject(identified)
})

it('identifies a summary by its call, and a creation by its group and its time', async () => {
  expect(await identify({ ...summary, extra: 1 })).toEqual({
    key: toKey('fact', 'CALL_AI_SUMMARY:c'),
    identity: 'fact',
    subject: 'call:c',
  })
  const first = await identify({ ...created, groupName: 'a' })
  expect(first).toMatchObject({ identity: 'fact', subject: 'group:g' })
  expect(await identify(created)).toEqual(first)
  for (const other of [{ groupId: 'h' }, { groupCreatedAt: at }])
    expect((await identify({ ...created, ...other })).key).not.toBe(first.key)
})

it.each([
  ['CALL_INCOMING_INITIATED', { event: 'CALL_INCOMING_INITIATED', callId: 'c' }, 'call:c'],
  ['CALL_MISSED', { event: 'CALL_MISSED', callId: 'c' }, 'call:c'],
  ['a call event that also states a group', { event: 'CALL_ENDED', callId: 'c', groupId: 'g' }, 'call:c'],
  ['GROUP_PARTICIPANT_JOINED', joined, 'group:g'],
  [
    'GROUP_PARTICIPANT_LEFT',
    { event: 'GROUP_PARTICIPANT_LEFT', groupId: 'g', participantLeftAt: at },
    'group:g',
  ],
  ['an event without a name', { groupId: 'g', participantRemovedAt: at }, 'group:g'],
])('identifies %s by its body', async (_, event, subject) => {
  const [first, again] = [await identify(event), await identify(event)]
  const key = toKey('body', createHash('sha256').update(JSON.stringify(event)).digest('hex'))
  expect(first).toEqual({ key, identity: 'body', subject })
  expect(again).toEqual(first)
  expect((await identify({ ...event, extra: 1 })).key).not.toBe(first.key)
})

it.each([
  ['CALL_NOT_PICKED, which is sent for each agent', { event: 'CALL_NOT_PICKED', callId: 'c' }, 'call:c'],
  ['a tag', { tagId: 'tag_1', tagName: 'VIP', from: '+12025550143', tagAdded: true }, undefined],
  ['an unknown event of a call', { event: 'CALL_HELD', callId: 'c' }, 'call:c'],
  ['a drifted event', { ...summary, summary: 1 }, 'call:c'],
  ['a creation without a time', { event: 'GROUP_CREATED', groupId: 'g' }, 'group:g'],
  ['a creation with an empty time', { ...created, groupCreatedAt: '' }, 'group:g'],
  ['a participant without a time', { ...joined, participantJoinedAt: null }, 'group:g'],
  [
    'a participant with the time of another event',
    { ...joined, participantJoinedAt: null, groupCreatedAt: at },
    'group:g',
  ],
  ['a creation without a group', { ...created, groupId: null }, undefined],
  ['a participant without a group', { ...joined, groupId: null }, undefined],
  ['an array', [], undefined],
  ['an unreadable body', '{"event":"CALL_ENDED"', undefined],
  ['an empty body', '', undefined],
])('gives every arrival of %s a key of its own', async (_, event, subject) => {
  const [first, again] = [await identify(event), await identify(event)]
  expect(first).toEqual({ key: expect.stringMatching(/^none:[0-9a-f-]{36}$/), identity: 'none', subject })
  expect(again.key).not.toBe(first.key)
})

it('returns keys and subjects that queues accept, and keeps long ids with the same start apart', async () => {
  const odd = [`${'x'.repeat(300)}1`, `${'x'.repeat(300)}2`, 'Grüße aus Köln', 'a b', 'a\u007fb']
  const ids = await Promise.all(odd.map((id) => identify({}, { 'webhook-id': encodeURIComponent(id) })))
  const calls = await Promise.all(odd.map((callId) => identify({ ...summary, callId })))
  const labels = [...ids, ...calls].flatMap(({ key, subject = 'call:c' }) => [key, subject])
  expect(labels.filter((label) => !/^[!-~]{1,128}$/.test(label))).toEqual([])
  expect(new Set(ids.map(({ key }) => key)).size).toBe(odd.length)
  expect(new Set(calls.map(({ subject }) => subject)).size).toBe(odd.length)
})

it('takes an empty delivery id for none, and refuses a body that was parsed', async () => {
  expect(await identify({ event: 'CALL_ENDED', callId: 'c' }, { 'webhook-id': '' })).toMatchObject({
    identity: 'body',
  })
  await expect(Reflect.apply(identifyEvent, undefined, [{}])).rejects.toThrow(TypeError)
})
