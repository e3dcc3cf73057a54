import { expect, test } from 'vitest'
import { mergePage } from './merge-page.ts'

type Item = { readonly id: string; readonly at: number }

/** Creates records from words such as `a5`: an id and a time in seconds. */
const items = (text: string): Item[] =>
  text
    .split(' ')
    .filter((each) => each !== '')
    .map((each) => ({ id: each.slice(0, 1), at: Number(each.slice(1)) }))

const format = (list: readonly Item[]): string => list.map(({ id, at }) => `${id}${at}`).join(' ')
const toTime = (seconds: number): string => new Date(seconds * 1_000).toISOString()

const merge = (
  known: string,
  page: string,
  options: { first?: number; before?: number; isLast?: boolean; keptId?: string } = {},
): string => {
  const { first = 0, before, isLast = false, keptId = '' } = options
  const merged = mergePage(items(known), items(page), {
    getId: ({ id }: Item) => id,
    getTime: ({ at }: Item) => toTime(at),
    first,
    isLast,
    keptId,
    before: before === undefined ? undefined : toTime(before),
  })
  return format(merged.items)
}

test('adds, updates and removes records according to the page, and keeps older records', () => {
  expect(merge('d4 c3 b2 a1', 'e5 d4 b2')).toBe('e5 d4 b2 a1')
  expect(merge('d4 c3 b2 a1', 'e5 d4', { isLast: true })).toBe('e5 d4')
})

test('keeps the open record, even if the page no longer contains it', () => {
  expect(merge('d4 c3 b2 a1', 'd4 b2', { keptId: 'c' })).toBe('d4 c3 b2 a1')
})

test('keeps records below the last one of the page, even if their times are newer', () => {
  expect(merge('d4 c2 b3 a2', 'd4 c2')).toBe('d4 c2 b3 a2')
  expect(merge('e5 d4 c2 b3 a2', 'd4 c2', { first: 1, before: 5 })).toBe('e5 d4 c2 b3 a2')
})

test('keeps records that are too new for the page to contain', () => {
  expect(merge('e5 c2 d4 b2 a1', 'c2 b2', { first: 1, before: 3 })).toBe('e5 d4 c2 b2 a1')
})

test('removes a record that a page between others no longer contains, and keeps the open one once', () => {
  expect(merge('e5 d4 c3 b2 a1', 'd4 b2', { first: 1, before: 5 })).toBe('e5 d4 b2 a1')
  expect(merge('e5 d4 c2 b1', 'c2', { first: 1, before: 3, keptId: 'd' })).toBe('e5 d4 c2 b1')
})

test('drops records that are newer than the last one of the page, if the list does not contain that record', () => {
  expect(merge('c3 b2 a1', 'd2')).toBe('d2 b2 a1')
})
