import { useSignal } from '@preact/signals'
import { IconButton } from './button.tsx'

/** Copies text to the clipboard. A page that is neither on TLS nor on loopback lacks the clipboard API, so it copies a selection. */
export const copy = async (text: string): Promise<void> => {
  if (navigator.clipboard !== undefined) {
    await navigator.clipboard.writeText(text)
    return
  }
  const area = document.createElement('textarea')
  area.value = text
  // Nothing outside an open dialog can be selected.
  const parent = document.querySelector('dialog[open]') ?? document.body
  parent.append(area)
  area.select()
  document.execCommand('copy')
  area.remove()
}

const shownMs = 1_500

type CopyButtonProps = {
  readonly text: string
  readonly label: string
  readonly onCopied?: () => void
}

export const CopyButton = ({ text, label, onCopied }: CopyButtonProps) => {
  const isCopied = useSignal(false)
  return (
    <IconButton
      icon={isCopied.value ? 'check' : 'copy'}
      label={isCopied.value ? 'Copied' : label}
      onClick={async () => {
        await copy(text)
        isCopied.value = true
        onCopied?.()
        setTimeout(() => (isCopied.value = false), shownMs)
      }}
    />
  )
}
