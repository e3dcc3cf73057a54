import { InputError } from '@wabakit/core'

/** The second number is the place of a delivery, which can be negative in PostgreSQL: see `delivery-id.ts`. */
const cursorForms = { 1: /^\d{1,18}$/, 2: /^\d{1,18}\.-?\d{1,18}$/ } as const

/**
 * The numbers of a cursor, such as `42` or `42.7`.
 *
 * @throws InputError when it is no cursor of ours.
 */
export const parseCursor = (cursor: string, numbers: 1 | 2): string[] => {
  if (cursorForms[numbers].test(cursor)) return cursor.split('.')
  throw new InputError([{ path: 'cursor', message: 'is not a cursor of this server' }])
}
