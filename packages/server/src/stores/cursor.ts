import { InputError } from '@wabakit/core'

const refuseCursor = (): InputError =>
  new InputError([{ path: 'cursor', message: 'is not a cursor that this server returned' }])

const cursorForms = { 1: /^\d{1,18}$/, 2: /^\d{1,18}\.\d{1,18}$/ } as const

/**
 * Parses a cursor of one or two positions, such as `42` or `42.7`.
 *
 * @throws InputError if the cursor has a different format.
 */
export const parseCursor = (cursor: string, positions: 1 | 2): string[] => {
  if (cursorForms[positions].test(cursor)) return cursor.split('.')
  throw refuseCursor()
}

/** Formats the cursor of a list ordered by time: the time and id of its last record. */
export const formatNewestCursor = (time: number, id: string): string => `${time}.${id}`

/**
 * Parses a cursor created by {@link formatNewestCursor}.
 *
 * @throws InputError if the cursor has a different format.
 */
export const parseNewestCursor = (cursor: string): readonly [time: number, id: string] => {
  const [, time, id] = /^(\d{1,15})\.([^\0]+)$/s.exec(cursor) ?? []
  if (time === undefined || id === undefined || !id.isWellFormed()) throw refuseCursor()
  return [Number(time), id]
}
