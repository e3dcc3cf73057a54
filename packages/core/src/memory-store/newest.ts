import { InputError } from '../errors/operation-errors.ts'
import type { FilteredPageRequest, Page } from '../store.ts'

/** The start or creation time of a record, and its id. */
type Key = readonly [time: number, id: string]

type Newest<Item> = FilteredPageRequest & {
  readonly digits?: string | undefined
  readonly from?: number | undefined
  readonly before?: number | undefined
  readonly getKey: (item: Item) => Key
  readonly where: (item: Item) => boolean
}

const parseKey = (cursor: string): Key => {
  const [, time, id] = /^(\d{1,15})\.(.+)$/s.exec(cursor) ?? []
  if (time !== undefined && id !== undefined) return [Number(time), id]
  throw new InputError([{ path: 'cursor', message: 'is not a cursor of this server' }])
}

const isBefore = ([leftTime, leftId]: Key, [rightTime, rightId]: Key): boolean =>
  leftTime < rightTime || (leftTime === rightTime && leftId < rightId)

export const readNewest = <Item extends { readonly digits: string }>(
  all: Iterable<Item> = [],
  { cursor, limit, maxExamined = Infinity, digits, from, before, getKey, where }: Newest<Item>,
): Page<Item> => {
  const start = cursor === undefined ? undefined : parseKey(cursor)
  const examined = Array.from(all, (item) => ({ item, key: getKey(item) }))
    .filter(({ key }) => start === undefined || isBefore(key, start))
    .sort((left, right) => (isBefore(left.key, right.key) ? 1 : -1))
  const found = examined.slice(0, maxExamined).filter(({ item, key: [time] }) => {
    const isInTime = (from === undefined || time >= from) && (before === undefined || time < before)
    return isInTime && (digits === undefined || item.digits === digits) && where(item)
  })
  const items = found.slice(0, limit)
  const last =
    found.length > limit
      ? items.at(-1)
      : examined.length > maxExamined
        ? examined[maxExamined - 1]
        : undefined
  return { items: items.map(({ item }) => item), ...(last && { nextCursor: last.key.join('.') }) }
}
