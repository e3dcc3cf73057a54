import { expect, test } from 'vitest'
import { escapeControls } from './safe-text.ts'

const range = (first: number, last: number): number[] =>
  Array.from({ length: last - first + 1 }, (_, index) => first + index)

const unsafe = [
  ...range(0x00, 0x1f),
  ...range(0x7f, 0x9f),
  ...[0x061c, 0x200e, 0x200f, 0x2028, 0x2029],
  ...range(0x202a, 0x202e),
  ...range(0x2066, 0x2069),
]

test.each(unsafe.map((code) => [code.toString(16).padStart(4, '0')]))('escapes U+%s', (code) => {
  expect(escapeControls(`a${String.fromCharCode(Number.parseInt(code, 16))}b`)).toBe(`a\\u${code}b`)
})

test('leaves every other character unchanged', () => {
  const text = '~ é ß 漢字 עברית العربية می‌خواهم 👩‍👩‍👧 \u00a0\u00ad\ud800'
  expect(escapeControls(text)).toBe(text)
})
