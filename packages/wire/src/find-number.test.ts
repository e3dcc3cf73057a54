import { expect, it, test } from 'vitest'
import { findNumber, readDigits } from './find-number.ts'

const isIn = findNumber('15557770001')

it.each([
  'Ann, +1 555 777 0001, please',
  '+1 (555) 777-0001',
  '1.555.777.0001 ext',
  '+1\u00a0555\u2011777\u20110001',
  '1−555−777—0001',
  '1_555_777_0001',
  '1/555,777:0001',
  '[1][555]7770001',
  '1·555•777|0001',
  "1'555~777 **0001**",
  '1\u00ad555\u200b777\ufeff0001',
  '1\u0301555\u{e0020}7770001',
  '1️⃣5️⃣5️⃣5️⃣7️⃣7️⃣7️⃣0️⃣0️⃣0️⃣1️⃣',
  '１５５５７７７０００１',
  '+١٥٥٥٧٧٧٠٠٠١',
  '+۱۵۵۵۷۷۷۰۰۰۱',
  '+१५५५७७७०००१',
  '+১৫৫৫৭৭৭০০০১',
  '+๑๕๕๕๗๗๗๐๐๐๑',
  '𝟏𝟓𝟓𝟓𝟕𝟕𝟕𝟎𝟎𝟎𝟏',
  '¹⁵⁵⁵⁷⁷⁷⁰⁰⁰¹',
  '①⑤⑤⑤⑦⑦⑦⓪⓪⓪①',
  '&#43;1&nbsp;555&#x2d;777&#32;0001',
  '&amp;#43;1&amp;nbsp;5557770001',
  '&#49;&#53;557770001',
  'x?n=%2B1%20555%C2%A0777%200001',
  '%31%35%35%35%37%37%37%30%30%30%31',
  '1%2D555%A0777%E2%88%920001',
  '1%2520555%25207770001',
  String.raw`{"n":"\u002b1\u0020555\n777\t0001"}`,
  String.raw`{"n":"{\"n\":\"\\u0031\\u0035557770001\"}"}`,
  String.raw`\u{31}\x355\/57770001`,
  'tel:+1-555-777-0001',
  'https://wa.me/15557770001?text=a',
  '15557770001@s.whatsapp.net',
  '0015557770001',
  '15557770002 15557770001 15557770003',
  [...'+15557770001'].join('\0'),
])('finds a number in %j', (text) => {
  expect(isIn(text)).toBe(true)
})

it.each([
  '+155577700012',
  '+915557770001',
  '٩15557770001',
  '+15557770002',
  '1555777 and 0001',
  'call_915557770001',
  '555 777 0001',
  'one five five five',
])('does not take %j for the number', (text) => {
  expect(isIn(text)).toBe(false)
})

it.each(['+49 (0)30 123456', '+49 (0) 30 123456', '+49 030 123456', '0049 (0)30/123456'])(
  'finds a number that is written with the zero of its country, in %j',
  (text) => {
    expect(findNumber('4930123456')(text)).toBe(true)
  },
)

test('reads the digits of a number in any script, without leading zeros and the zero of its country', () => {
  expect(readDigits('+1 (555) 777-0001')).toBe('15557770001')
  expect(readDigits('0049 (0)30 123456')).toBe('4930123456')
  expect(readDigits('+١٥٥٥٧٧٧٠٠٠١')).toBe('15557770001')
  expect(readDigits('none')).toBe('')
})

test.each([
  ['18000000001', `18${'(0)'.repeat(100_000)}x`],
  ['12025550100', `1202555${'(0)'.repeat(100_000)}x`],
  ['18000000001', '180000000 '.repeat(30_000)],
  ['15557770001', '1 '.repeat(150_000)],
  ['15557770001', '0'.repeat(300_000)],
  ['15557770001', '\\'.repeat(300_000)],
  ['15557770001', `&${'amp;'.repeat(75_000)}`],
  ['15557770001', '%e2%31'.repeat(50_000)],
  ['15557770001', '1\u0315\u0300'.repeat(100_000)],
  ['15557770001', '٣'.repeat(300_000)],
])('looks for %s in a hostile text of 300 kB in linear time', (digits, text) => {
  const startedAt = process.cpuUsage()
  expect(findNumber(digits)(text)).toBe(false)
  expect(process.cpuUsage(startedAt).user / 1_000).toBeLessThan(2_000)
})
