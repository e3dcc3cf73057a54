import type { ComponentChildren } from 'preact'
import { useRef } from 'preact/hooks'
import { Icon, type IconName } from './icon.tsx'

type ButtonProps = {
  /** Further clicks are ignored until a returned promise settles. */
  readonly onClick: () => unknown
  readonly children: ComponentChildren
  readonly icon?: IconName
  readonly kind?: 'primary' | 'danger'
  /** A key that has the same effect as the button. */
  readonly shortcut?: string
  readonly disabled?: boolean
}

export const Button = ({ onClick, children, icon, kind, shortcut, disabled }: ButtonProps) => {
  const isRunning = useRef(false)
  const click = async (): Promise<void> => {
    if (isRunning.current) return
    isRunning.current = true
    try {
      await onClick()
    } finally {
      isRunning.current = false
    }
  }
  return (
    <button
      type="button"
      class={`button ${kind ?? ''}`}
      onClick={click}
      disabled={disabled}
      aria-keyshortcuts={shortcut}
    >
      {icon && <Icon name={icon} />}
      <span>{children}</span>
      {shortcut && <kbd aria-hidden="true">{shortcut}</kbd>}
    </button>
  )
}

type IconButtonProps = Pick<ButtonProps, 'disabled'> & {
  readonly onClick: () => void
  readonly icon: IconName
  readonly label: string
  readonly pressed?: boolean
}

export const IconButton = ({ icon, label, onClick, pressed, disabled }: IconButtonProps) => (
  <button
    type="button"
    class="icon-button"
    onClick={onClick}
    aria-label={label}
    title={label}
    aria-pressed={pressed}
    disabled={disabled}
  >
    <Icon name={icon} />
  </button>
)
