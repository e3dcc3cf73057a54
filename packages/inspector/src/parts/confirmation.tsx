import { useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { getMessage } from '../api/api-error.ts'
import { reloadAll } from '../api/reload.ts'
import { notify } from '../state/notices.ts'
import { Button } from './button.tsx'
import { Dialog, type DialogControl } from './dialog.tsx'
import { Problem } from './status.tsx'

type ConfirmationProps = DialogControl & {
  readonly title: string
  /** The consequence of the action: what it stops or deletes. */
  readonly children: ComponentChildren
  /** The notice after the action. */
  readonly done: string
  readonly kind?: 'primary' | 'danger'
  readonly onConfirm: () => Promise<unknown>
}

/** Asks before an action that stops or deletes something. Stays open, with the error, if the action fails. */
export const Confirmation = ({
  title,
  children,
  done,
  kind = 'danger',
  onConfirm,
  onClose,
}: ConfirmationProps) => {
  const problem = useSignal('')
  const confirm = async (): Promise<void> => {
    try {
      await onConfirm()
      onClose()
      notify(done)
      reloadAll()
    } catch (error) {
      problem.value = getMessage(error)
    }
  }
  return (
    <Dialog title={title} onClose={onClose}>
      {children}
      <Problem text={problem.value} />
      <footer>
        <Button onClick={onClose}>Cancel</Button>
        <Button kind={kind} onClick={confirm}>
          {title}
        </Button>
      </footer>
    </Dialog>
  )
}
