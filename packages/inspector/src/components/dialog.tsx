import { signal, useSignal } from '@preact/signals'
import type { ComponentChildren, VNode } from 'preact'
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks'
import { getMessage } from '../api/api-error.ts'
import { reloadAll } from '../api/reload.ts'
import { notify } from '../state/notices.ts'
import { Button, IconButton } from './button.tsx'
import { CopyButton } from './copy-button.tsx'
import { Problem } from './status.tsx'

const opened = signal<VNode | undefined>(undefined)

/** Opens a dialog that stays open when the view changes. `close` has no effect if another dialog has replaced it. */
export const openDialog = (create: (close: () => void) => VNode): void => {
  const dialog = create(() => {
    if (opened.value === dialog) opened.value = undefined
  })
  opened.value = dialog
}

export const OpenedDialog = () => <>{opened.value}</>

type DialogProps = {
  readonly title: string
  readonly onClose: () => void
  readonly children: ComponentChildren
  /** Names the data that closing the dialog would lose. If set, the dialog asks for confirmation. */
  readonly unsaved?: string | undefined
  /** Set if the dialog stays at the top, because its height changes while the user types. */
  readonly kind?: 'palette'
}

export type DialogControl = Pick<DialogProps, 'onClose'>

/** A modal dialog. Its first field or button gets the focus. Escape closes the dialog, like its button, and the focus returns. */
export const Dialog = ({ title, onClose, children, unsaved, kind }: DialogProps) => {
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
      class={kind}
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

type ConfirmationProps = DialogControl & {
  /** The action, which is also the text of the button. */
  readonly title: string
  /** The name of the record that the action changes. */
  readonly object?: string
  /** The consequence of the action: what it stops or deletes. */
  readonly children: ComponentChildren
  /** The notice after the action. */
  readonly done: string
  readonly kind?: 'primary' | 'danger'
  readonly onConfirm: () => Promise<unknown>
}

/** Asks before an action that stops, replaces or deletes something. Stays open, with the error, if the action fails. */
export const Confirmation = ({
  title,
  object,
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
    <Dialog title={[title, object].filter(Boolean).join(' ')} onClose={onClose}>
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

type ShownOnceProps = DialogControl & {
  readonly title: string
  /** The name of the secret, such as `secret` or `API key`. */
  readonly name: string
  readonly secret: string
  /** Where to copy it. */
  readonly to: string
  /** The next step, once the secret is copied. */
  readonly next?: { readonly label: string; readonly run: () => unknown } | undefined
  readonly children?: ComponentChildren
}

/** A dialog with a new secret, which is never shown again. Asks before it closes, unless the secret was copied. */
export const ShownOnce = ({ title, name, secret, to, next, children, onClose }: ShownOnceProps) => {
  const isShown = useSignal(false)
  const isKept = useSignal(false)
  const keep = (): void => {
    isKept.value = true
  }
  useEffect(() => {
    if (isKept.value) return
    const warn = (event: Event): void => event.preventDefault()
    addEventListener('beforeunload', warn)
    return () => removeEventListener('beforeunload', warn)
  }, [isKept.value])
  return (
    <Dialog
      title={title}
      onClose={onClose}
      unsaved={isKept.value ? undefined : `The new ${name} was not copied, and cannot be shown again.`}
    >
      <section class="verdict" aria-label={`New ${name}`}>
        <h3>
          Copy the new {name} to {to}: it is shown only here
        </h3>
        <p class="line">
          <code onCopy={isShown.value ? keep : undefined}>{isShown.value ? secret : '•'.repeat(24)}</code>
          {/* Before the other button, so that it gets the focus: a secret must be copied, but need not be shown. */}
          <CopyButton text={secret} label={`Copy the ${name}`} onCopied={keep} />
          <button type="button" class="link" onClick={() => (isShown.value = !isShown.value)}>
            {isShown.value ? 'Hide' : 'Show'}
          </button>
        </p>
      </section>
      {children}
      <footer>
        {!isKept.value && <p class="quiet">Copy it first.</p>}
        <Button {...(next === undefined && { kind: 'primary' })} disabled={!isKept.value} onClick={onClose}>
          Done
        </Button>
        {next && (
          <Button kind="primary" disabled={!isKept.value} onClick={next.run}>
            {next.label}
          </Button>
        )}
      </footer>
    </Dialog>
  )
}
