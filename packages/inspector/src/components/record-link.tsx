import type { ComponentChildren } from 'preact'
import { type Params, toLink, type View } from '../state/route.ts'

export type RecordLinkProps = {
  readonly view: View
  readonly id?: string
  readonly filters?: Params
  readonly children: ComponentChildren
}

/** A link to a record or, without an id, to a list. */
export const RecordLink = ({ view, id, filters, children }: RecordLinkProps) => (
  <a {...toLink(view, { ...filters, id })} class="record">
    {children}
  </a>
)
