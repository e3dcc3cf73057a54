import type { ComponentChildren } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { IconButton } from './button.tsx'

type DialogProps = {
  readonly title: string
  readonly onClose: () => void
  readonly children: ComponentChildren
}

/** A modal dialog. Escape closes it, and the focus returns to where it was. */
export const Dialog = ({ title, onClose, children }: DialogProps) => {
  const dialog = useRef<HTMLDialogElement>(null)
  useEffect(() => {
    const element = dialog.current
    const before = document.activeElement
    element?.showModal()
    return () => {
      element?.close()
      if (before instanceof HTMLElement) before.focus()
    }
  }, [])
  return (
    <dialog
      ref={dialog}
      aria-label={title}
      onCancel={(event) => {
        event.preventDefault()
        onClose()
      }}
    >
      <header>
        <h2>{title}</h2>
        <IconButton icon="close" label="Close" onClick={onClose} />
      </header>
      {children}
    </dialog>
  )
}
