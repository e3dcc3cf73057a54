import { formatTimeKey, parseTimeKey, type TimeKey } from '../storage/cursors.ts'
import { toPage } from '../storage/page.ts'
import type { Page } from '../store.ts'
import type { RecordQuery } from '../store-requests.ts'

type Newest<Item> = RecordQuery & {
  readonly getKey: (item: Item) => TimeKey
  readonly where: (item: Item) => boolean
}

const isBefore = ([leftTime, leftId]: TimeKey, [rightTime, rightId]: TimeKey): boolean =>
  leftTime < rightTime || (leftTime === rightTime && leftId < rightId)

export const readNewest = <Item extends { readonly digits: string }>(
  all: Iterable<Item> = [],
  { cursor, limit, maxExamined = Infinity, digits, from, before, getKey, where }: Newest<Item>,
): Page<Item> => {
  const start = cursor === undefined ? undefined : parseTimeKey(cursor)
  const examined = Array.from(all, (item) => ({ item, key: getKey(item) }))
    .filter(({ key }) => start === undefined || isBefore(key, start))
    .sort((left, right) => (isBefore(left.key, right.key) ? 1 : -1))
  const rows = examined.slice(0, maxExamined).filter(({ item, key: [time] }) => {
    const isInTime = (from === undefined || time >= from) && (before === undefined || time < before)
    return isInTime && (digits === undefined || item.digits === digits) && where(item)
  })
  const end = examined.length > maxExamined ? examined[maxExamined - 1] : undefined
  return toPage({
    rows,
    limit,
    toItem: ({ item }) => item,
    toCursor: ({ key }) => formatTimeKey(key),
    end: end && formatTimeKey(end.key),
  })
}
