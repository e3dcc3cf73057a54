import { expect, it } from 'vitest'
import { findId, findNumber } from './mentions.ts'

const toBody = (value: unknown) =>
  new TextEncoder().encode(typeof value === 'string' ? value : JSON.stringify(value))

it.each([
  { customerNumber: '+15557770001' },
  { customerNumber: 15557770001 },
  { note: 'Ann, +1 555 777 0001, please' },
  { note: '+1 (555) 777-0001' },
  { note: '1.555.777.0001 ext' },
  { note: '+1\u00a0555\u2011777\u20110001' },
  { note: '１５５５７７７０００１' },
  { numbers: '+15557770001,+15557770002' },
  { numbers: '15557770002 15557770001 15557770003' },
  { members: { '+15557770001': true } },
  { link: 'tel:+1-555-777-0001' },
  { link: 'https://wa.me/15557770001?text=a' },
  { jid: '15557770001@s.whatsapp.net' },
  { n: '0015557770001' },
  { deep: [[{ a: [{ b: '+15557770001' }] }]] },
  'from=+1-555-777-0001',
  '{"n":"+15557770001"',
  [...'+15557770001'].join('\0'),
])('finds a number in %o', (value) => {
  expect(findNumber('15557770001').isInBody(toBody(value))).toBe(true)
})

it('finds a number that is written with the zero of its country', () => {
  expect(findNumber('4930123456').isIn('+49 (0)30 123456')).toBe(true)
})

it.each([
  { n: '+155577700012' },
  { n: '+915557770001' },
  { n: '+15557770002' },
  { n: '1555777 and 0001' },
  { at: 1555777000 },
  { id: 'call_915557770001' },
  'n=155577700011',
])('does not take %o for the number', (value) => {
  expect(findNumber('15557770001').isInBody(toBody(value))).toBe(false)
})

it('finds a long number in a large body in linear time', () => {
  const body = toBody({ note: '1 '.repeat(500_000) })
  const startedAt = process.cpuUsage()
  expect(findNumber('15557770001').isInBody(body)).toBe(false)
  expect(process.cpuUsage(startedAt).user / 1_000).toBeLessThan(2_000)
})

it('finds an id as a value, a key, or a word', () => {
  for (const value of [{ data: { callId: 'c2' } }, { call: { id: 'c2' } }, { c2: 1 }, ['c2']])
    expect(findId('c2').isInBody(toBody(value))).toBe(true)
  for (const value of [{ note: 'meet at c2' }, { id: 'c22' }, 'c2 unreadable'])
    expect(findId('c2').isInBody(toBody(value))).toBe(false)
  const id = 'call_8Rw3.x'
  for (const value of [
    { url: `https://a.example/${id}/b.mp3` },
    `unreadable ${id}`,
    { note: `of ${id}, today` },
  ])
    expect(findId(id).isInBody(toBody(value))).toBe(true)
  for (const value of [{ note: 'call_8Rw3-x' }, { id: `${id}y` }])
    expect(findId(id).isInBody(toBody(value))).toBe(false)
})
