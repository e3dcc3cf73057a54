import type { ListDefinition } from './list-definition.ts'

type MergeOptions<Item> = Required<Pick<ListDefinition<Item>, 'getId' | 'getTime'>> & {
  /** The index of the first known record that the page could contain. */
  readonly first: number
  /** The time before which all records of the page were created, in ISO 8601, or `undefined` for the newest page. */
  readonly before?: string | undefined
  /** Set if no page follows. */
  readonly isLast: boolean
  /** The id of a record that stays in the list even if the page does not contain it. */
  readonly keptId: string
}

/** Adds, updates and removes records in the part of a list that a page covers. Keeps all records outside that part. */
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
  // Records below the last one of the page are older. If the list does not contain that record, the times decide.
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
