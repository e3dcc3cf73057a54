import { InputError } from '../errors/operation-errors.ts'

const refuse = (): InputError =>
  new InputError([{ path: 'cursor', message: 'is not a cursor that this server returned' }])

/**
 * Parses a cursor that is a position in a list, such as `42`.
 *
 * @throws InputError if the cursor has a different format.
 */
export const parsePosition = (cursor: string): string => {
  if (/^\d{1,18}$/.test(cursor)) return cursor
  throw refuse()
}

/**
 * Parses the cursor of a list of deliveries: the positions of an event and a subscription, such as `42.7`.
 *
 * @throws InputError if the cursor has a different format.
 */
export const parsePositions = (cursor: string): string[] => {
  if (/^\d{1,18}\.\d{1,18}$/.test(cursor)) return cursor.split('.')
  throw refuse()
}

/** The key of a record in a list that is ordered by time. */
export type TimeKey = readonly [time: number, id: string]

/** Formats the cursor of a list ordered by time: the key of its last record. */
export const formatTimeKey = (key: TimeKey): string => key.join('.')

/**
 * Parses a cursor created by {@link formatTimeKey}.
 *
 * @throws InputError if the cursor has a different format.
 */
export const parseTimeKey = (cursor: string): TimeKey => {
  const [, time, id] = /^(\d{1,15})\.([^\0]+)$/s.exec(cursor) ?? []
  if (time === undefined || id === undefined || !id.isWellFormed()) throw refuse()
  return [Number(time), id]
}
