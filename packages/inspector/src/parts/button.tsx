import type { ComponentChildren } from 'preact'
import { Icon, type IconName } from './icon.tsx'

type ButtonProps = {
  readonly onClick: () => void
  readonly children: ComponentChildren
  readonly icon?: IconName
  readonly kind?: 'primary' | 'danger'
  /** A key that has the same effect as the button. */
  readonly shortcut?: string
  readonly disabled?: boolean
}

export const Button = ({ onClick, children, icon, kind, shortcut, disabled }: ButtonProps) => (
  <button
    type="button"
    class={`button ${kind ?? ''}`}
    onClick={onClick}
    disabled={disabled}
    aria-keyshortcuts={shortcut}
  >
    {icon && <Icon name={icon} />}
    <span>{children}</span>
    {shortcut && <kbd aria-hidden="true">{shortcut}</kbd>}
  </button>
)

type IconButtonProps = Pick<ButtonProps, 'onClick' | 'disabled'> & {
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
