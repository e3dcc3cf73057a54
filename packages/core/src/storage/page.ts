import type { Page } from '../store.ts'

/** The rows of a page, and one more if there are more rows within the limit of rows to examine. */
export type PageRows<Row, Item> = {
  readonly rows: readonly Row[]
  readonly limit: number
  /**
   * Set if even the last page has a cursor unless it is empty, so that a reader can continue with records added later.
   * @default false
   */
  readonly isFollowed?: boolean
  readonly toItem: (row: Row) => Item
  readonly toCursor: (row: Row) => string
  /** The cursor of the next page if this page examined as many rows as it may, and there are more. */
  readonly end?: string | undefined
}

export const toPage = <Row, Item>({
  rows,
  limit,
  isFollowed = false,
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
