import { InputError } from '../errors/input-error.ts'
import { maxSearchedBytes } from '../storage/max-searched-bytes.ts'
import type { FilteredPageRequest, Page } from '../store.ts'

export type Ordered = { readonly order: number }

export type Paging<Row> = FilteredPageRequest & {
  /** `followed`: oldest first, with a cursor even on the last page, so that a reader can continue later. */
  readonly direction: 'oldest_first' | 'newest_first' | 'followed'
  readonly where?: (row: Row) => boolean
  /** Returns the number of bytes to search in a row. A page searches at most {@link maxSearchedBytes}. */
  readonly measure?: (row: Row) => number
}

/** Returns the index of the first row with at least this order. */
const findIndex = (rows: readonly Ordered[], order: number): number => {
  let low = 0
  let high = rows.length
  while (low < high) {
    const middle = (low + high) >> 1
    if ((rows[middle]?.order ?? 0) < order) low = middle + 1
    else high = middle
  }
  return low
}

function* walk<Row extends Ordered>(
  rows: readonly Row[],
  { cursor, direction }: Paging<Row>,
): Generator<Row> {
  const isForward = direction !== 'newest_first'
  const first = isForward ? 0 : rows.length - 1
  const after = isForward ? findIndex(rows, Number(cursor) + 1) : findIndex(rows, Number(cursor)) - 1
  for (let index = cursor === undefined ? first : after; ; index += isForward ? 1 : -1) {
    const row = rows[index]
    if (row === undefined) return
    yield row
  }
}

/** Reads a page of rows that are sorted by their order. The cursor is the order of the last row that was examined. */
export const readPage = <Row extends Ordered>(rows: readonly Row[], paging: Paging<Row>): Page<Row> => {
  const { cursor, limit, direction, maxExamined = Infinity, where = () => true, measure = () => 0 } = paging
  if (cursor !== undefined && !/^\d{1,15}$/.test(cursor)) {
    throw new InputError([{ path: 'cursor', message: 'is not a cursor of this server' }])
  }
  const items: Row[] = []
  let last: Row | undefined
  let examined = 0
  let bytes = 0
  let isMore = false
  for (const row of walk(rows, paging)) {
    bytes += measure(row)
    isMore = examined === maxExamined || (examined > 0 && bytes > maxSearchedBytes)
    if (isMore) break
    const isMatch = where(row)
    isMore = isMatch && items.length === limit
    if (isMore) break
    if (isMatch) items.push(row)
    examined += 1
    last = row
  }
  const hasCursor = isMore || (direction === 'followed' && items.length > 0)
  return { items, ...(hasCursor && last !== undefined && { nextCursor: String(last.order) }) }
}
