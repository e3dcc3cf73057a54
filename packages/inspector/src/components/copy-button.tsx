import { useSignal } from '@preact/signals'
import { IconButton } from './button.tsx'

const refused = 'The browser refused to copy. Select the text and copy it.'

/**
 * Copies text to the clipboard, through a selection if a page has no clipboard API, as without TLS, or may not use it.
 *
 * @throws Error if the browser refuses both.
 */
export const copy = async (text: string): Promise<void> => {
  const isCopied = await navigator.clipboard?.writeText(text).then(
    () => true,
    () => false,
  )
  if (isCopied) return
  const area = document.createElement('textarea')
  area.value = text
  // Nothing outside an open dialog can be selected.
  const parent = document.querySelector('dialog[open]') ?? document.body
  parent.append(area)
  area.select()
  const isAccepted = document.execCommand('copy')
  area.remove()
  if (!isAccepted) throw new Error(refused)
}

const shownMs = 1_500

type CopyButtonProps = {
  readonly text: string
  readonly label: string
  readonly onCopied?: () => void
}

export const CopyButton = ({ text, label, onCopied }: CopyButtonProps) => {
  const isCopied = useSignal(false)
  const isRefused = useSignal(false)
  const run = async (): Promise<void> => {
    isRefused.value = await copy(text).then(
      () => false,
      () => true,
    )
    if (isRefused.value) return
    isCopied.value = true
    onCopied?.()
    setTimeout(() => (isCopied.value = false), shownMs)
  }
  return (
    <>
      <IconButton
        icon={isCopied.value ? 'check' : 'copy'}
        label={isCopied.value ? 'Copied' : label}
        onClick={run}
      />
      {isRefused.value && <small role="alert">{refused}</small>}
    </>
  )
}
