import { expect, it } from 'vitest'
import { toIdMention, toNumberMention } from './mentions.ts'

const toBody = (value: unknown) =>
  new TextEncoder().encode(typeof value === 'string' ? value : JSON.stringify(value))

it.each([
  { customerNumber: '+15557770001' },
  { customerNumber: 15557770001 },
  { note: 'Ann, +1 555 777 0001, please' },
  { numbers: '+15557770001,+15557770002' },
  { members: { '+15557770001': true } },
  { deep: [[{ a: [{ b: '+15557770001' }] }]] },
  'from=+1-555-777-0001',
  '{"n":"+15557770001"',
  '{"n":1.5557770001e10}',
  '{"n":"+15557770001","n":"overwritten"}',
  String.raw`{"n":"\u002b\u0031\u0035557770001"}`,
])('finds a number in %o', (value) => {
  expect(toNumberMention('15557770001').isInBody(toBody(value))).toBe(true)
})

it.each([
  { n: '+155577700012' },
  { n: '1555777 and 0001' },
  { at: 1555777000 },
  { id: 'call_915557770001' },
  'n=155577700011',
])('does not take %o for the number', (value) => {
  expect(toNumberMention('15557770001').isInBody(toBody(value))).toBe(false)
})

it.each(['[', '{"a":'])('searches a body nested 100,000 levels deep with %s', (open) => {
  const close = open === '[' ? ']' : '}'
  const nest = (text: string) => toBody(`${open.repeat(100_000)}"${text}"${close.repeat(100_000)}`)
  expect(toNumberMention('15557770001').isInBody(nest('+1 555 777 0001'))).toBe(true)
  expect(toNumberMention('15557770001').isInBody(nest('+1 555 777 0002'))).toBe(false)
  expect(toIdMention('c2').isInBody(nest('c2'))).toBe(true)
})

it('finds an id as a value, a key, or a word', () => {
  for (const value of [{ data: { callId: 'c2' } }, { call: { id: 'c2' } }, { c2: 1 }, ['c2']])
    expect(toIdMention('c2').isInBody(toBody(value))).toBe(true)
  for (const value of [{ note: 'meet at c2' }, { id: 'c22' }, 'c2 unreadable'])
    expect(toIdMention('c2').isInBody(toBody(value))).toBe(false)
  const id = 'call_8Rw3.x'
  for (const value of [
    { url: `https://a.example/${id}/b.mp3` },
    `unreadable ${id}`,
    { note: `of ${id}, today` },
  ])
    expect(toIdMention(id).isInBody(toBody(value))).toBe(true)
  for (const value of [{ note: 'call_8Rw3-x' }, { id: `${id}y` }])
    expect(toIdMention(id).isInBody(toBody(value))).toBe(false)
})

it('looks for a long id in linear time', () => {
  const id = 'a.'.repeat(100_000)
  const mention = toIdMention(id)
  const startedAt = process.cpuUsage()
  expect(mention.isInBody(toBody({ note: `${id}b` }))).toBe(false)
  expect(process.cpuUsage(startedAt).user / 1_000).toBeLessThan(2_000)
  expect(mention.isInBody(toBody({ id }))).toBe(true)
})
