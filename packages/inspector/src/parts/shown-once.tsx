import { useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { useEffect } from 'preact/hooks'
import { Button } from './button.tsx'
import { CopyButton } from './copy-button.tsx'
import { Dialog, type DialogControl } from './dialog.tsx'

type ShownOnceProps = DialogControl & {
  readonly title: string
  /** The name of the secret, such as `secret` or `API key`. */
  readonly name: string
  readonly secret: string
  /** Where to copy it. */
  readonly to: string
  readonly children?: ComponentChildren
}

/** A dialog with a new secret, which the server never shows again. Asks before it closes unless the user has copied it. */
export const ShownOnce = ({ title, name, secret, to, children, onClose }: ShownOnceProps) => {
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
          <button type="button" class="link" onClick={() => (isShown.value = !isShown.value)}>
            {isShown.value ? 'Hide' : 'Show'}
          </button>
          <CopyButton text={secret} label={`Copy the ${name}`} onCopied={keep} />
        </p>
      </section>
      {children}
      <footer>
        <Button kind="primary" disabled={!isKept.value} onClick={onClose}>
          Done
        </Button>
      </footer>
    </Dialog>
  )
}
