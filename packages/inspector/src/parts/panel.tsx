import type { ComponentChildren } from 'preact'
import { closeRecord } from '../list/current-record.ts'
import { IconButton } from './button.tsx'

type PanelProps = {
  readonly title: ComponentChildren
  /** The state of the record. However long the title, it is shown in full. */
  readonly badge?: ComponentChildren
  readonly label: string
  readonly actions?: ComponentChildren
  readonly children: ComponentChildren
  readonly isWide?: boolean
}

/** What is shown of one record. */
export const Panel = ({ title, badge, label, actions, children, isWide = false }: PanelProps) => (
  <article class={`detail ${isWide ? 'wide' : ''}`} aria-label={label}>
    <header>
      <IconButton icon={isWide ? 'back' : 'close'} label="Back to the list" onClick={closeRecord} />
      <h2>
        <span class="title">{title}</span>
        {badge}
      </h2>
      <div class="actions">{actions}</div>
    </header>
    <div class="body" tabIndex={-1}>
      {children}
    </div>
  </article>
)
