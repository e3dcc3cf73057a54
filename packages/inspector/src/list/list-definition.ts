import type { ComponentChildren, ComponentType } from 'preact'
import type { LiveMessage } from '../api/live.ts'
import type { Choice } from '../format/choices.ts'
import type { Query, View } from '../state/route.ts'

export type Filter = { readonly key: string; readonly label: string } & (
  | { readonly kind: 'choice'; readonly choices: () => readonly Choice[] }
  | { readonly kind: 'text'; readonly placeholder: string }
  | { readonly kind: 'time'; readonly from: string; readonly before: string }
)

/** Lists the filter's query parameters, which have the same names in the page's URL and in the control API. */
export const listParams = (filter: Filter): readonly string[] =>
  filter.kind === 'time' ? [filter.from, filter.before] : [filter.key]

export type Column<Item> = {
  /** The size of the CSS grid track. */
  readonly width: string
  readonly cell: (item: Item) => ComponentChildren
  /** Set for the column that names the record, which is a link to it. */
  readonly isName?: true
  /**
   * Set for columns that a narrow list shows differently. A list is narrow next to an open record, and on a
   * tablet or a phone.
   * - `true`: hidden.
   * - `below`: below the preceding column.
   */
  readonly isExtra?: true | 'below'
}

export type ListDefinition<Item> = {
  /** The name of the view and of the collection in the control API. */
  readonly view: View
  /** Set if the collection contains the records of all organizations. */
  readonly isShared?: true
  /** Parameters of every request, unless a filter sets them. */
  readonly query?: Query
  /** Set if the control API lists the oldest records first by default. */
  readonly order?: 'newest_first'
  /** Set if records change after their creation. */
  readonly isMutable?: true
  readonly getId: (item: Item) => string
  /**
   * Returns the time of a record, in ISO 8601. The newest record is first in the list, but records created at
   * about the same time are in commit order. A list without times is short, so all its loaded records are read again.
   */
  readonly getTime?: (item: Item) => string
  /** The filter bar has the first four from the start, and the others once they are chosen or set. */
  readonly filters: readonly Filter[]
  /** The fields that a text search covers, such as `payloads`. If unset, the list has no search field. */
  readonly searches?: string
  readonly columns: Readonly<Record<string, Column<Item>>>
  /** Returns whether a message requires the list to be updated. */
  readonly isAbout: (message: LiveMessage) => boolean
  /** Polling interval in milliseconds, for lists whose changes the live stream does not report. */
  readonly pollMs?: number
  /** Keyboard shortcuts for actions on the current record. */
  readonly keys?: Readonly<Record<string, (id: string) => void>>
  readonly add?: { readonly label: string; readonly run: () => void }
  /** Actions on all records that match the filters. */
  readonly Bulk?: ComponentType<{
    readonly query: Readonly<Record<string, string>>
    readonly filters: readonly Filter[]
  }>
  /** The panel of a record next to the list. */
  readonly Detail: ComponentType<DetailProps<Item>>
  /** Advice for an empty list, with commands that create records. */
  readonly empty: { readonly title: string; readonly text: string; readonly commands: readonly string[] }
}

/** `item` is `undefined` while the list does not contain the record. */
export type DetailProps<Item> = {
  readonly id: string
  readonly item: Item | undefined
  /** Set while the list is loading, so that it may still contain the record. */
  readonly isLoading: boolean
}
