import type { EventRecord } from '../records.ts'
import { maxSearchedBytes, parsePosition } from '../storage/index.ts'
import type { EventQuery, FilteredPageRequest, Page } from '../store.ts'

type Ordered = { readonly order: number; readonly event?: EventRecord }

/** With `text`, a page examines at most {@link maxSearchedBytes} of payloads, or a larger one alone. */
type Paging<Row> = FilteredPageRequest &
  Pick<EventQuery, 'order' | 'text'> & {
    /** Adds a cursor to every page of a list that is oldest first, unless the page is empty, so that a reader can continue later. */
    readonly isFollowed?: boolean
    readonly where?: (row: Row) => boolean
  }

/** Returns the index of the first row that is not before a place. The rows must be sorted. */
export const findIndex = <Row>(rows: readonly Row[], isBefore: (row: Row) => boolean): number => {
  let low = 0
  let high = rows.length
  while (low < high) {
    const middle = (low + high) >> 1
    const row = rows[middle]
    if (row !== undefined && isBefore(row)) low = middle + 1
    else high = middle
  }
  return low
}

function* walk<Row extends Ordered>(rows: readonly Row[], { cursor, order }: Paging<Row>): Generator<Row> {
  const isForward = order !== 'newest_first'
  const last = Number(cursor)
  const after = isForward
    ? findIndex(rows, (row) => row.order <= last)
    : findIndex(rows, (row) => row.order < last) - 1
  const first = isForward ? 0 : rows.length - 1
  for (let index = cursor === undefined ? first : after; ; index += isForward ? 1 : -1) {
    const row = rows[index]
    if (row === undefined) return
    yield row
  }
}

/** Reads a page of rows that are sorted by their order. The cursor is the order of the last row that was examined. */
export const readPage = <Row extends Ordered>(rows: readonly Row[], paging: Paging<Row>): Page<Row> => {
  const { cursor, limit, order, text, maxExamined = Infinity, where = () => true } = paging
  if (cursor !== undefined) parsePosition(cursor)
  const items: Row[] = []
  let last: Row | undefined
  let examined = 0
  let bytes = 0
  let isMore = false
  for (const row of walk(rows, paging)) {
    if (text !== undefined) bytes += row.event?.payload.length ?? 0
    isMore = examined === maxExamined || (examined > 0 && bytes > maxSearchedBytes)
    if (isMore) break
    const isMatch = where(row)
    isMore = isMatch && items.length === limit
    if (isMore) break
    if (isMatch) items.push(row)
    examined += 1
    last = row
  }
  const isContinued = paging.isFollowed === true && order !== 'newest_first' && items.length > 0
  return { items, ...((isMore || isContinued) && last !== undefined && { nextCursor: String(last.order) }) }
}
