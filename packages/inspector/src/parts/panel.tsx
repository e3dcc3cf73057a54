import type { ComponentChildren } from 'preact'
import { useLayoutEffect, useRef } from 'preact/hooks'
import { closeRecord } from '../state/current-record.ts'
import { IconButton } from './button.tsx'
import { Problem } from './status.tsx'

type PanelProps = {
  readonly title: ComponentChildren
  /** The record's state, shown in full even next to a long title. */
  readonly badge?: ComponentChildren
  readonly label: string
  readonly actions?: ComponentChildren
  /** The reason why the record could not be loaded. */
  readonly problem?: string
  readonly children?: ComponentChildren
  readonly isWide?: boolean
}

const findGrid = (): HTMLElement | null => document.querySelector('[role=grid]')

/** The panel of one record. It takes the focus from the list and later returns it. */
export const Panel = ({ title, badge, label, actions, problem, children, isWide = false }: PanelProps) => {
  const panel = useRef<HTMLElement>(null)
  const body = useRef<HTMLDivElement>(null)
  useLayoutEffect(() => {
    const { activeElement } = document
    if (activeElement === document.body || findGrid()?.contains(activeElement)) {
      body.current?.focus({ preventScroll: true })
    }
    return () => {
      if (!panel.current?.contains(document.activeElement)) return
      // The list is visible again in the next frame.
      requestAnimationFrame(() => {
        if (document.activeElement === document.body) findGrid()?.focus({ preventScroll: true })
      })
    }
  }, [])
  return (
    <article class={`detail ${isWide ? 'wide' : ''}`} aria-label={label} ref={panel}>
      <header>
        <IconButton icon={isWide ? 'back' : 'close'} label="Back to the list" onClick={closeRecord} />
        <h2>
          <span class="title">{title}</span>
          {badge}
        </h2>
        <div class="actions">{actions}</div>
      </header>
      <div class="body" tabIndex={-1} ref={body}>
        <Problem text={problem} />
        {children}
      </div>
    </article>
  )
}
