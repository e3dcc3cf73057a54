import type { Page } from '@wabakit/core'

/** Rows of a list, read with one more than the page holds. */
export type PageRows<Row, Item> = {
  readonly rows: readonly Row[]
  readonly limit: number
  /** Whether the page has a cursor even when nothing follows, so that a reader can wait for what comes. */
  readonly isFollowed: boolean
  readonly item: (row: Row) => Item
  readonly cursor: (row: Row) => string
}

/** A page of a list. */
export const pageOf = <Row, Item>({
  rows,
  limit,
  isFollowed,
  item,
  cursor,
}: PageRows<Row, Item>): Page<Item> => {
  const shown = rows.slice(0, limit)
  const last = shown.at(-1)
  const hasCursor = last !== undefined && (isFollowed || rows.length > limit)
  return { items: shown.map(item), ...(hasCursor && { nextCursor: cursor(last) }) }
}
