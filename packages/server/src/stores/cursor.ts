import { InputError } from '@wabakit/core'

const cursorForms = { 1: /^\d{1,18}$/, 2: /^\d{1,18}\.\d{1,18}$/ } as const

/**
 * Parses a cursor of one or two positions, such as `42` or `42.7`.
 *
 * @throws InputError if the cursor has another form.
 */
export const parseCursor = (cursor: string, positions: 1 | 2): string[] => {
  if (cursorForms[positions].test(cursor)) return cursor.split('.')
  throw new InputError([{ path: 'cursor', message: 'is not a cursor that this server returned' }])
}
