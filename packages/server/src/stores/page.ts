import type { Page } from '@wabakit/core'

/** Returns the pattern of LIKE for texts that contain this one. Its escape character is the backslash. */
export const toLikePattern = (text: string): string => `%${text.replaceAll(/[\\%_]/g, '\\$&')}%`

/** The rows of a list, read with one more than the page has. */
export type PageRows<Row, Item> = {
  readonly rows: readonly Row[]
  readonly limit: number
  /** Set if the last page has a cursor, too, so that a reader can continue when something is added. */
  readonly isFollowed: boolean
  readonly toItem: (row: Row) => Item
  readonly toCursor: (row: Row) => string
  /** The cursor of the next page if this one ends before `limit` because enough was examined. */
  readonly end?: string | undefined
}

export const toPage = <Row, Item>({
  rows,
  limit,
  isFollowed,
  toItem,
  toCursor,
  end,
}: PageRows<Row, Item>): Page<Item> => {
  const shown = rows.slice(0, limit)
  const last = shown.at(-1)
  const isFull = rows.length > limit
  const lastCursor = last !== undefined && (isFull || isFollowed) ? toCursor(last) : undefined
  const nextCursor = isFull ? lastCursor : (end ?? lastCursor)
  return { items: shown.map(toItem), ...(nextCursor !== undefined && { nextCursor }) }
}
