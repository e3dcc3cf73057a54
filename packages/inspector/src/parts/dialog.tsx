import { signal, useSignal } from '@preact/signals'
import type { ComponentChildren, VNode } from 'preact'
import { useLayoutEffect, useRef } from 'preact/hooks'
import { Button, IconButton } from './button.tsx'

const opened = signal<VNode | undefined>(undefined)

/** Opens a dialog that stays open when the view changes. `close` has no effect if another dialog has replaced it. */
export const openDialog = (create: (close: () => void) => VNode): void => {
  const dialog = create(() => {
    if (opened.value === dialog) opened.value = undefined
  })
  opened.value = dialog
}

/** The open dialog, if there is one. */
export const OpenedDialog = () => <>{opened.value}</>

type DialogProps = {
  readonly title: string
  readonly onClose: () => void
  readonly children: ComponentChildren
  /** Names the data that closing the dialog would lose. If set, the dialog asks for confirmation. */
  readonly unsaved?: string | undefined
}

export type DialogControl = Pick<DialogProps, 'onClose'>

/** A modal dialog. Its first field or button gets the focus. Escape closes the dialog, and the focus returns. */
export const Dialog = ({ title, onClose, children, unsaved }: DialogProps) => {
  const dialog = useRef<HTMLDialogElement>(null)
  const isAsking = useSignal(false)
  useLayoutEffect(() => {
    const element = dialog.current
    const before = document.activeElement
    element?.showModal()
    // By default, the first element gets the focus, the button that closes the dialog.
    element?.querySelector<HTMLElement>('.form :is(input, select, textarea, button)')?.focus()
    return () => {
      element?.close()
      if (before instanceof HTMLElement) before.focus()
    }
  }, [])
  const leave = (): void => {
    if (unsaved === undefined) onClose()
    else isAsking.value = !isAsking.value
  }
  return (
    <dialog
      ref={dialog}
      aria-label={title}
      onCancel={(event) => {
        event.preventDefault()
        leave()
      }}
      onKeyDown={(event) => {
        // Browsers close the dialog at the second Escape even if the page prevents `cancel`.
        if (event.key !== 'Escape') return
        event.preventDefault()
        event.stopPropagation()
        leave()
      }}
    >
      <header>
        <h2>{title}</h2>
        <IconButton icon="close" label="Close" onClick={leave} />
      </header>
      <div class="form">{children}</div>
      {isAsking.value && unsaved !== undefined && (
        <div class="ask" role="alert">
          <p>{unsaved}</p>
          <Button onClick={leave}>Go back</Button>
          <Button kind="danger" onClick={onClose}>
            Close anyway
          </Button>
        </div>
      )}
    </dialog>
  )
}
