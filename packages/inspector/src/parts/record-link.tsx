import type { ComponentChildren } from 'preact'
import { navigate, type Params, toHref, type View } from '../state/route.ts'

export type RecordLinkProps = {
  readonly view: View
  readonly id?: string
  readonly filters?: Params
  readonly children: ComponentChildren
}

/** A link to a record or a list. It can be opened in a new tab, like any link. */
export const RecordLink = ({ view, id, filters, children }: RecordLinkProps) => (
  <a
    href={toHref(view, { ...filters, id })}
    class="record"
    onClick={(click) => {
      if (click.metaKey || click.ctrlKey) return
      click.preventDefault()
      click.stopPropagation()
      navigate(view, { ...filters, id })
    }}
  >
    {children}
  </a>
)
