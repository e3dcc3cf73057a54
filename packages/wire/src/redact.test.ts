import { eventExamples } from '@wabakit/contract/documents'
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { redact } from './safe-text.ts'
import { eventNames } from './validate-event.ts'

test('phone numbers keep their last two characters', () => {
  const { from, to, channelNumber, customerNumber, agentNumber } = redact(eventExamples.CALL_AI_SUMMARY)
  expect([from, to, channelNumber, customerNumber, agentNumber]).toEqual([
    '***00',
    '***43',
    '***00',
    '***43',
    '***17',
  ])
  expect(redact(eventExamples.GROUP_PARTICIPANT_JOINED).customerPhone).toBe('***43')
  expect(redact({ wabaNumber: '1234', to: 12025550143, pstnNumbers: ['+12025550100'] })).toEqual({
    wabaNumber: '***',
    to: '***43',
    pstnNumbers: ['***00'],
  })
})

test('recap, key points and next steps are masked', () => {
  expect(redact(eventExamples.CALL_AI_SUMMARY).summary).toEqual({
    recap: '***',
    keyPoints: ['***', '***'],
    nextSteps: ['***', '***'],
  })
})

test('the invite link is masked, and null stays null', () => {
  expect(redact(eventExamples.GROUP_CREATED).inviteLink).toBe('***')
  expect(redact({ ...eventExamples.GROUP_CREATED, inviteLink: null }).inviteLink).toBe(null)
})

test('names of people, recording URLs and messages are masked', () => {
  const payload = { customerName: 'Ada', pickedBy: { name: 'Bo' }, recordingUrl: 'https://x', message: 'hi' }
  expect(redact(payload)).toEqual({
    customerName: '***',
    pickedBy: '***',
    recordingUrl: '***',
    message: '***',
  })
})

test.each(eventNames)(
  '%s: ids, times and enumerations are kept, and the event itself is not changed',
  (name) => {
    const before = structuredClone(eventExamples[name])
    const copy = redact(eventExamples[name])
    expect(eventExamples[name]).toEqual(before)
    expect(Object.keys(copy)).toEqual(Object.keys(before))
    for (const [field, value] of Object.entries(before)) {
      if (/Id$|At$|^(?:event|channel|call|duration)/.test(field) && !field.endsWith('Number')) {
        expect(copy).toHaveProperty(field, value)
      }
    }
  },
)

test('sensitive fields are masked at any depth', () => {
  const name = fc.constantFrom(
    'from',
    'to',
    'wabaNumber',
    'customerPhone',
    'recap',
    'keyPoints',
    'inviteLink',
  )
  const secret = 'secret-secret'
  const wrap = fc.constantFrom<(value: unknown) => unknown>(
    (value) => [value],
    (value) => ({ data: value }),
    (value) => ({ to: value }),
  )
  fc.assert(
    fc.property(name, fc.array(wrap, { maxLength: 20 }), (field, wraps) => {
      const value = wraps.reduce<unknown>((inner, outer) => outer(inner), {
        [field]: [secret, { [field]: secret }],
      })
      expect(JSON.stringify(redact(value))).not.toContain(secret)
    }),
  )
})

test('an empty field stays empty, and one of another type is masked', () => {
  const empty = { customerName: '', pickedBy: undefined, message: null, to: '', from: undefined }
  expect(redact(empty)).toStrictEqual(empty)
  expect(redact({ to: false, recap: 0 })).toEqual({ to: '***', recap: '***' })
})

test('lists are copied item by item', () => {
  const events = [{ to: '+12025550143' }, 'text', [{ recap: 'x' }]]
  expect(redact(events)).toEqual([{ to: '***43' }, 'text', [{ recap: '***' }]])
})

test('16 levels are kept, and deeper ones are masked', () => {
  const nest = (levels: number, inner: unknown): unknown =>
    levels === 0 ? inner : { a: nest(levels - 1, inner) }
  expect(redact(nest(16, { id: 1 }))).toEqual(nest(16, { id: 1 }))
  expect(redact(nest(17, { id: 1 }))).toEqual(nest(17, '***'))
})

test('a value that is not an object is returned unchanged', () => {
  for (const value of [undefined, null, 1, 'text', true]) expect(redact(value)).toBe(value)
})

test('100,000 levels of objects or arrays do not overflow the stack', () => {
  const depth = 100_000
  for (const [open, close] of [
    ['{"a":', '}'],
    ['[', ']'],
    ['{"to":[', ']}'],
  ]) {
    const value = JSON.parse(`${open?.repeat(depth)}1${close?.repeat(depth)}`)
    expect(JSON.stringify(redact(value)).length).toBeLessThan(1_000)
  }
})

test('keys named __proto__ or constructor do not change any prototype', () => {
  const copy = redact(
    JSON.parse('{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}}'),
  )
  expect(Object.getPrototypeOf(copy)).toBe(Object.prototype)
  expect('polluted' in {}).toBe(false)
  expect(Object.keys(copy)).toEqual(['__proto__', 'constructor'])
})
