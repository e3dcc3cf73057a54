import { InputError, type Page } from '@wabakit/core'

/** Rows of a list, read with one more than the page holds. */
export type PageRows<Item> = {
  readonly rows: readonly { readonly record: Item; readonly cursor: string }[]
  readonly limit: number
  /** Whether the page has a cursor even when nothing follows, so that a reader can wait for what comes. */
  readonly isFollowed: boolean
}

/** A page of a list. */
export const pageOf = <Item>({ rows, limit, isFollowed }: PageRows<Item>): Page<Item> => {
  const shown = rows.slice(0, limit)
  const last = shown.at(-1)
  const hasCursor = last !== undefined && (isFollowed || rows.length > limit)
  return { items: shown.map(({ record }) => record), ...(hasCursor && { nextCursor: last.cursor }) }
}

/** The second number is the position of a delivery, which can be negative: see `delivery-id.ts`. */
const cursorForms = { 1: /^\d{1,18}$/, 2: /^\d{1,18}\.-?\d{1,18}$/ } as const

/**
 * The numbers of a cursor, such as `42` or `42.7`.
 *
 * @throws InputError when it is no cursor of ours.
 */
export const parseCursor = (cursor: string, numbers: 1 | 2): string[] => {
  if (cursorForms[numbers].test(cursor)) return cursor.split('.')
  throw new InputError([{ path: 'cursor', message: 'is not a cursor that this server gave' }])
}
