import type { ComponentChildren, ComponentType } from 'preact'
import type { LiveMessage } from '../api/live.ts'
import type { View } from '../state/route.ts'

export type Choice = { readonly value: string; readonly label: string }

export type Filter = { readonly key: string; readonly label: string } & (
  | { readonly kind: 'choice'; readonly choices: () => readonly Choice[] }
  | { readonly kind: 'text'; readonly placeholder: string }
  | { readonly kind: 'time'; readonly from: string; readonly before: string }
)

/** Returns a filter's parameter names in the page's URL and in control API queries. */
export const listParams = (filter: Filter): readonly string[] =>
  filter.kind === 'time' ? [filter.from, filter.before] : [filter.key]

export type Column<Item> = {
  /** The column's CSS grid track. */
  readonly width: string
  readonly cell: (item: Item) => ComponentChildren
  /**
   * Set if the column is hidden where space is tight: next to a record and on a tablet, or only on a phone. A column
   * that is `below` is hidden next to a record, and appears below the preceding column on a tablet or phone.
   */
  readonly isExtra?: true | 'below' | 'on_phones'
}

/** The content of a list and its source. */
export type ListDefinition<Item> = {
  /** Also the name of the collection in the control API. */
  readonly view: View
  /** Set if one list in the control API contains the records of all organizations. */
  readonly isShared?: true
  /** Set if the control API lists the oldest records first by default. */
  readonly order?: 'newest_first'
  /** Set if records change: the current record is then read by its id when it no longer matches the filters. */
  readonly isMutable?: true
  readonly getId: (item: Item) => string
  /** Returns the time that orders the list, newest first. A list without it is short and is read completely. */
  readonly getTime?: (item: Item) => string
  readonly filters: readonly Filter[]
  /**
   * The parts of the records that the search field covers, such as `payloads`. Without it, there is no search field.
   */
  readonly searches?: string
  /** The columns by title. */
  readonly columns: Readonly<Record<string, Column<Item>>>
  readonly isChangedBy: (message: LiveMessage) => boolean
  /** Polling interval in milliseconds, for a list whose changes the server does not announce. */
  readonly pollMs?: number
  /** Keys that act on the current record. */
  readonly keys?: Readonly<Record<string, (id: string) => void>>
  /** Actions on all records that match the filters. */
  readonly Bulk?: ComponentType<{
    readonly query: Readonly<Record<string, string>>
    readonly filters: readonly Filter[]
  }>
  /** The record that is shown next to the list. */
  readonly Detail: ComponentType<DetailProps<Item>>
  /** Advice for an empty list, with commands that create records. */
  readonly empty: { readonly title: string; readonly text: string; readonly commands: readonly string[] }
}

/** `item` is `undefined` until the list contains the record. */
export type DetailProps<Item> = { readonly id: string; readonly item: Item | undefined }
