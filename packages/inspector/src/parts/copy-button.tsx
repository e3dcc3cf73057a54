import { useSignal } from '@preact/signals'
import { copy } from '../actions/copy.ts'
import { IconButton } from './button.tsx'

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
        setTimeout(() => {
          isCopied.value = false
        }, shownMs)
      }}
    />
  )
}
