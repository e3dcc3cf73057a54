import { describe, expect, it } from 'vitest'
import { toSubject } from '../identity/identity.ts'
import { toStorableText, toStoredEvent } from './stored-event.ts'

const toBody = (event: object) => new TextEncoder().encode(JSON.stringify(event))
const identifyEvent = (event: object, maxBodyBytes = 1_000) =>
  toStoredEvent({ id: 'a', body: toBody(event) }, maxBodyBytes)

describe('the lane of an event', () => {
  it('is its call or group, even if it is unknown or drifted', async () => {
    const lanes = [
      [{ event: 'CALL_ENDED', callId: 'c', groupId: 'g' }, 'call:c'],
      [{ event: 'GROUP_CREATED', callId: 'c', groupId: 'g' }, 'group:g'],
      [{ event: 'NEW', callId: 'c' }, 'call:c'],
      [{ event: 'CALL_ENDED', callId: 1, groupId: 'g' }, 'group:g'],
      [{ event: 'NEW', callId: '', groupId: 'g' }, 'group:g'],
      [{ event: 'NEW', callId: '', groupId: '' }, null],
      [{ event: 'NEW', groupId: 1 }, null],
      [[], null],
    ] as const
    for (const [event, subject] of lanes) expect(await identifyEvent(event)).toMatchObject({ subject })
  })

  it('is a hash if the id is long or not ASCII, so that ids with the same start stay distinct', async () => {
    const start = 'x'.repeat(122)
    expect(await toSubject('group', start)).toBe(`group:${start}`)
    const ids = [`${start}1`, `${start}2`, 'Grüße', 'a b', 'a\nb']
    const subjects = await Promise.all(ids.map((id) => toSubject('group', id)))
    expect(subjects).toEqual(subjects.map(() => expect.stringMatching(/^group:sha256:[0-9a-f]{64}$/)))
    expect(new Set(subjects).size).toBe(ids.length)
  })
})

it('keeps the time of an event, and the headers that identify or trace it', async () => {
  const headers = new Headers({ traceparent: '00-1', 'webhook-id': 'a', authorization: 'Bearer s3cret' })
  const body = toBody({ event: 'CALL_ENDED', callId: 'c' })
  expect(await toStoredEvent({ id: 'a', body, headers, sentAt: new Date(1) }, 1_000)).toMatchObject({
    sentAt: 1,
    headers: '[["webhook-id","a"],["traceparent","00-1"]]',
  })
  expect(await toStoredEvent({ id: 'a', body }, 1_000)).toMatchObject({ sentAt: null, headers: null })
})

it('reads bodies up to the limit of the receiver, above or below the default', async () => {
  const large = { event: 'CALL_ENDED', callId: 'c', pad: 'p'.repeat(1_100_000) }
  expect(await identifyEvent(large, 2_000_000)).toMatchObject({ name: 'CALL_ENDED' })
  expect(await identifyEvent(large, 1_000_000)).toMatchObject({ name: null, subject: null })
})

it('cuts text between characters, so that PostgreSQL accepts it', () => {
  const cut = toStorableText(`${'x'.repeat(199)}😀`)
  expect([cut.isWellFormed(), cut.slice(0, 199)]).toEqual([true, 'x'.repeat(199)])
})
