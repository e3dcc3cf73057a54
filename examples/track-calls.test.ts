import fc from 'fast-check'
import { expect, it } from 'vitest'
import { type CallEvent, type TrackedCall, trackCall } from './track-calls.ts'

const callId = 'call-1'
const initiated: CallEvent = {
  event: 'CALL_INCOMING_INITIATED',
  callId,
  callStartedAt: '',
  durationInSeconds: 0,
}
const accepted: CallEvent = { event: 'CALL_ACCEPTED', callId, agentNumber: '+14155550111' }
const ended: CallEvent = {
  event: 'CALL_ENDED',
  callId,
  durationInSeconds: 42,
  callEndedAt: '2026-01-01T10:00:42Z',
}
const summarized: CallEvent = {
  event: 'CALL_AI_SUMMARY',
  channel: 'PSTN',
  callId,
  callDirection: 'INCOMING',
  callStatus: 'END',
  durationInSeconds: 43,
  callStartedAt: '2026-01-01T10:00:00Z',
  callEndedAt: '2026-01-01T10:00:43Z',
  from: '+14155550100',
  to: '+14155550123',
  channelNumber: '+14155550100',
  customerNumber: '+14155550123',
  agentNumber: '+14155550199',
  callType: 'AGENT',
  triggeredVia: 'INBOUND',
  summary: { recap: 'A short call.', keyPoints: [], nextSteps: [] },
}

const fold = (events: readonly CallEvent[]): TrackedCall | undefined => {
  let record: TrackedCall | undefined
  for (const event of events) record = trackCall(record, event).record
  return record
}

it('combines the events of a call, from its start to its summary', () => {
  const record = fold([initiated, accepted, ended, summarized])
  expect(record).toMatchObject({
    callId,
    state: 'summarized',
    summary: { recap: 'A short call.' },
    details: { durationInSeconds: 43, agentNumber: '+14155550199', callStatus: 'END' },
    events: ['CALL_INCOMING_INITIATED', 'CALL_ACCEPTED', 'CALL_ENDED', 'CALL_AI_SUMMARY'],
  })
})

it('returns what an event added and whether it moved the call', () => {
  const { record } = trackCall(undefined, initiated)
  expect(trackCall(record, accepted)).toMatchObject({
    stateChanged: true,
    changed: ['agentNumber'],
  })
})

it('returns the same record when an event arrives again', () => {
  const record = fold([initiated, accepted])
  const again = trackCall(record, accepted)
  expect(again.record).toBe(record)
  expect(again).toMatchObject({ stateChanged: false, changed: [] })
})

it('never lets an older event overwrite a newer state or detail', () => {
  const { record, stateChanged, changed } = trackCall(fold([ended]), initiated)
  expect(record).toMatchObject({ state: 'ended', details: { durationInSeconds: 42 } })
  expect({ stateChanged, changed }).toEqual({ stateChanged: false, changed: [] })
})

it('ignores empty strings, so that they never replace a known value', () => {
  const blank: CallEvent = { event: 'CALL_ENDED', callId, agentNumber: '', callStartedAt: '' }
  expect(fold([accepted, blank])?.details).toEqual({ agentNumber: '+14155550111' })
})

it('goes on ringing after CALL_NOT_PICKED, until the call is answered or missed', () => {
  const notPicked: CallEvent = { event: 'CALL_NOT_PICKED', callId, callStatus: 'INITIATED' }
  const ringing = fold([initiated, notPicked, notPicked])
  expect(ringing?.state).toBe('initiated')
  expect(trackCall(ringing, accepted).record.state).toBe('accepted')
  expect(trackCall(ringing, { event: 'CALL_MISSED', callId }).record.state).toBe('missed')
})

it('knows the agent of an outgoing call before anybody has answered it', () => {
  const outgoing: CallEvent = { event: 'CALL_OUTGOING_INITIATED', callId, pickedBy: 'Grace' }
  expect(fold([outgoing])).toMatchObject({ state: 'initiated', details: { pickedBy: 'Grace' } })
})

it('distinguishes a call that was missed or rejected from one that ended', () => {
  const event = (name: 'CALL_MISSED' | 'CALL_REJECTED'): CallEvent => ({ event: name, callId })
  expect(fold([event('CALL_MISSED'), ended, initiated])?.state).toBe('missed')
  expect(fold([ended, event('CALL_REJECTED')])?.state).toBe('rejected')
})

it('rejects the event of another call', () => {
  expect(() => trackCall(fold([initiated]), { ...accepted, callId: 'call-2' })).toThrow(RangeError)
})

it('returns the same record in whatever order and however often the events arrive', () => {
  const all = [initiated, accepted, ended, summarized]
  const expected = fold(all)
  const orders = fc.shuffledSubarray([...all, ...all], { minLength: 8, maxLength: 8 })
  fc.assert(fc.property(orders, (events) => void expect(fold(events)).toEqual(expected)))
})

it('changes neither the record nor the event', () => {
  const record = fold([initiated])
  const before = structuredClone(record)
  trackCall(record, Object.freeze({ ...summarized }))
  expect(record).toEqual(before)
})
