import type { ComponentChildren } from 'preact'
import { useLayoutEffect, useRef } from 'preact/hooks'
import { areSubscriptionsKnown } from '../api/subscriptions.ts'
import { closeRecord } from '../state/current-record.ts'
import { isTrace } from '../state/route.ts'
import { Breakable } from './breakable.tsx'
import { IconButton } from './button.tsx'
import { LoadProblem } from './status.tsx'

type PanelProps = {
  readonly title: ComponentChildren
  /** The record's state, which stays visible next to a long title. */
  readonly badge?: ComponentChildren
  readonly label: string
  readonly actions?: ComponentChildren
  readonly problem?: string
  readonly children?: ComponentChildren
  readonly isWide?: boolean
  /** Shows the actions below the title, because it is long. Phones always show buttons with text there. */
  readonly hasActionsBelow?: boolean
}

const findGrid = (): HTMLElement | null => document.querySelector('[role=grid]')

/** The panel of a record. When it opens, it takes the focus from the list. When it closes, it returns the focus. */
export const Panel = (props: PanelProps) => {
  const { title, badge, label, actions, problem, children, isWide = false, hasActionsBelow = false } = props
  const name = typeof title === 'string' ? title : undefined
  const panel = useRef<HTMLElement>(null)
  const body = useRef<HTMLDivElement>(null)
  useLayoutEffect(() => {
    const { activeElement } = document
    if (activeElement?.matches('body, main') || findGrid()?.contains(activeElement)) {
      body.current?.focus({ preventScroll: true })
    }
    return () => {
      if (!panel.current?.contains(document.activeElement)) return
      // The list stays invisible until the next frame.
      requestAnimationFrame(() => {
        if (document.activeElement === document.body) findGrid()?.focus({ preventScroll: true })
      })
    }
  }, [])
  return (
    <article
      class={`detail ${isWide ? 'wide' : ''} ${hasActionsBelow ? 'actions-below' : ''}`}
      aria-label={label}
      ref={panel}
    >
      <header>
        <IconButton icon={isWide ? 'back' : 'close'} label="Back to the list" onClick={closeRecord} />
        <h2>
          <span class="title" title={name}>
            {name === undefined ? title : <Breakable text={name} />}
          </span>
          {badge}
        </h2>
        <div class="actions">{!isTrace && actions}</div>
      </header>
      <div class="body" tabIndex={-1} ref={body}>
        <LoadProblem text={problem} />
        {areSubscriptionsKnown.value && children}
      </div>
    </article>
  )
}
