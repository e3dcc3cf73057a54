import type { Page } from '@wabakit/core'

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
