export type RecordOrder<Item> = {
  readonly getId: (item: Item) => string
  /** Returns the time by which the list is ordered, newest first, in ISO 8601. */
  readonly getTime: (item: Item) => string
}

type MergeOptions<Item> = RecordOrder<Item> & {
  /** The index of the first known record that the page could contain. */
  readonly first: number
  /** Set if the page is the last one. */
  readonly isLast: boolean
  /** The record to keep even if the page no longer contains it. */
  readonly keptId: string
}

/**
 * Replaces the part of a list that a page covers: records are updated, added and removed. Records outside that part are
 * kept.
 */
export const mergePage = <Item>(
  known: readonly Item[],
  page: readonly Item[],
  { getId, getTime, first, isLast, keptId }: MergeOptions<Item>,
): { readonly items: readonly Item[]; readonly hasOlder: boolean } => {
  const read = new Set(page.map(getId))
  const others = (items: readonly Item[]): Item[] => items.filter((item) => !read.has(getId(item)))
  const end = page.at(-1)
  const isOlder = (item: Item): boolean =>
    !isLast && (end === undefined || Date.parse(getTime(item)) <= Date.parse(getTime(end)))
  const rest = others(known.slice(first))
  const older = rest.filter(isOlder)
  const range = [...page]
  const kept = rest.find((item) => getId(item) === keptId && !isOlder(item))
  if (kept !== undefined) {
    const at = range.findIndex((item) => Date.parse(getTime(item)) < Date.parse(getTime(kept)))
    range.splice(at === -1 ? range.length : at, 0, kept)
  }
  return { items: [...others(known.slice(0, first)), ...range, ...older], hasOlder: older.length > 0 }
}
