export type RecordOrder<Item> = {
  readonly getId: (item: Item) => string
  /**
   * Returns the time of a record, in ISO 8601. Lists are ordered by it, newest first, except that concurrently created
   * records are in commit order.
   */
  readonly getTime: (item: Item) => string
}

type MergeOptions<Item> = RecordOrder<Item> & {
  /** The index of the first known record that the page could contain. */
  readonly first: number
  /** The page contains only records before this time, in ISO 8601. `undefined` if it has no limit. */
  readonly before?: string | undefined
  /** Set if the page is the last one. */
  readonly isLast: boolean
  /** The record to keep even if the page no longer contains it. */
  readonly keptId: string
}

/** Updates, adds and removes records in the part of a list that a page covers. Records outside that part are kept. */
export const mergePage = <Item>(
  known: readonly Item[],
  page: readonly Item[],
  { getId, getTime, first, before, isLast, keptId }: MergeOptions<Item>,
): { readonly items: readonly Item[]; readonly hasOlder: boolean } => {
  const read = new Set(page.map(getId))
  const isRead = (item: Item): boolean => read.has(getId(item))
  const isBefore = (item: Item, time: string): boolean => Date.parse(getTime(item)) < Date.parse(time)
  const newer = known.slice(0, first).filter((item) => !isRead(item))
  const rest = known.slice(first)
  const end = page.at(-1)
  const lastRead = rest.findLastIndex(isRead)
  // Records below the end of the page are older, whatever their times. If the end is unknown, the times decide.
  const isEndKnown = end !== undefined && rest.some((item) => getId(item) === getId(end))
  const isOlder = (item: Item, index: number): boolean =>
    !isLast && index > lastRead && (isEndKnown || end === undefined || !isBefore(end, getTime(item)))
  const older = rest.filter((item, index) => !isRead(item) && isOlder(item, index))
  const gone = rest.filter((item, index) => !isRead(item) && !isOlder(item, index))
  const outside = gone.filter((item) => before !== undefined && !isBefore(item, before))
  const range = [...page]
  const kept = gone.find((item) => getId(item) === keptId && !outside.includes(item))
  if (kept !== undefined) {
    const at = range.findIndex((item) => isBefore(item, getTime(kept)))
    range.splice(at === -1 ? range.length : at, 0, kept)
  }
  return { items: [...newer, ...outside, ...range, ...older], hasOlder: older.length > 0 }
}
