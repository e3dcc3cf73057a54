import { expect, test } from 'vitest'
import { formatRecord, formatTable, formatValue } from './table.ts'

const record = {
  status: 'pending',
  id: 'dlv_1',
  createdAt: '2026-01-05T10:00:00.123Z',
  url: 'https://a.example/hooks',
}
const fields = ['status', 'createdAt', 'url', 'id']
const format = (width: number): string[] =>
  formatTable([record], { fields, width, style: (_, text) => text }).split('\n')

test('a table shows all of its columns, and times without milliseconds', () => {
  expect(format(Infinity)).toEqual([
    'STATUS   CREATED AT            URL                      ID',
    'pending  2026-01-05T10:00:00Z  https://a.example/hooks  dlv_1',
  ])
})

test('the first column that does not fit is cut at its start, and the others are left out', () => {
  expect(format(45)).toEqual([
    'STATUS   CREATED AT            URL',
    'pending  2026-01-05T10:00:00Z  …example/hooks',
  ])
  expect(format(40)).toEqual(['STATUS   CREATED AT', 'pending  2026-01-05T10:00:00Z'])
})

test('the words and numbers of a status have a color, without the spaces after them', () => {
  const rows = [
    { status: 'delivered', response: 204, id: 'failing' },
    { status: 'exhausted', response: 'ECONNREFUSED', id: '500' },
    { status: 'waiting', response: null, id: '-' },
    { status: 'pending', response: 302, id: '200' },
  ]
  const style = (color: unknown, text: string): string => `<${color} ${text}>`
  const table = formatTable(rows, { fields: ['status', 'response', 'id'], width: 80, style })
  expect(table.split('\n')).toEqual([
    'STATUS     RESPONSE      ID',
    '<green delivered>  <green 204>           failing',
    '<red exhausted>  <red ECONNREFUSED>  500',
    'waiting    -             -',
    'pending    <red 302>           200',
  ])
})

test('a summary that is at some endpoints has another color than one that is at none', () => {
  const rows = ['not_delivered', 'at 1 of 2'].map((summaryArrival) => ({ summaryArrival }))
  const style = (color: unknown, text: string): string => `<${color} ${text}>`
  const table = formatTable(rows, { fields: ['summaryArrival'], width: 80, style })
  expect(table.split('\n').slice(1)).toEqual(['<red not_delivered>', '<yellow at 1 of 2>'])
})

test('on a terminal, a long value leaves room for the columns after it', () => {
  const long = `${'x'.repeat(60)}end`
  const style = (_: unknown, text: string): string => text
  const formatAt = (width: number) =>
    formatTable([{ url: long, id: 'id' }], { fields: ['url', 'id'], width, style }).split('\n')[1]
  expect(formatAt(60)).toBe(`…${'x'.repeat(36)}end  id`)
  expect(formatAt(Infinity)).toBe(`${long}  id`)
})

test('a URL is shown without its query, so that what is cut still shows the end of the path', () => {
  const url = 'https://a.example/hooks?token=not-for-the-screen'
  const table = formatTable([{ url }], { fields: ['url'], width: 20, style: (_, text) => text })
  expect(table).toBe('URL\n…//a.example/hooks?…')
})

test('neither the name nor the value of a field can forge a line', () => {
  expect(formatRecord({ id: 'a\nb', 'x\nforged': 1 })).toBe('id             a\\u000ab\nx\\u000aforged  1')
})

test('formats a value with 5,000 brackets', () => {
  for (const item of ['[', '{"0":']) {
    const text = `[${item.repeat(5_000)}1${(item === '[' ? ']' : '}').repeat(5_000)}]`
    expect(formatValue(JSON.parse(text))).toBe(text.slice(1, -1))
  }
})
