import { useSignal } from '@preact/signals'
import { useLayoutEffect, useRef } from 'preact/hooks'
import { Icon, type IconName } from './icon.tsx'

export type MenuItem = {
  readonly label: string
  readonly onSelect: () => void
  readonly icon?: IconName
  readonly shortcut?: string
  readonly isDisabled?: boolean
}

type MenuProps = { readonly items: readonly MenuItem[]; readonly label?: string }

export const Menu = ({ items, label = 'More actions' }: MenuProps) => {
  const isOpen = useSignal(false)
  const box = useRef<HTMLDivElement>(null)
  const close = (): void => {
    isOpen.value = false
  }
  /** Closes the menu after a key or a choice. The focus goes to the button, where it also returns after a dialog. */
  const leaveMenu = (): void => {
    box.current?.querySelector<HTMLElement>('button')?.focus()
    close()
  }
  useLayoutEffect(() => {
    if (!isOpen.value) return
    box.current?.querySelector<HTMLElement>('[role=menuitem]')?.focus()
    const leave = ({ target }: Event): void => {
      if (target instanceof Node && !box.current?.contains(target)) close()
    }
    addEventListener('pointerdown', leave)
    return () => removeEventListener('pointerdown', leave)
  }, [isOpen.value])

  const leaveFocus = ({ relatedTarget }: FocusEvent): void => {
    if (relatedTarget instanceof Node && !box.current?.contains(relatedTarget)) close()
  }

  const press = (event: KeyboardEvent): void => {
    if (!isOpen.value) return
    event.stopPropagation()
    if (event.key === 'Escape') leaveMenu()
    const by = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0
    if (by === 0) return
    event.preventDefault()
    const entries = [...(box.current?.querySelectorAll<HTMLElement>('[role=menuitem]:enabled') ?? [])]
    const index = entries.findIndex((entry) => entry.matches(':focus'))
    entries[(index + by + entries.length) % entries.length]?.focus()
  }

  return (
    <div class="menu" ref={box} onKeyDown={press} onFocusOut={leaveFocus}>
      <button
        type="button"
        class="button"
        aria-label={label}
        title={label}
        aria-haspopup="menu"
        aria-expanded={isOpen.value}
        onClick={() => (isOpen.value = !isOpen.value)}
      >
        <Icon name="more" />
      </button>
      {isOpen.value && (
        <div role="menu" aria-label={label}>
          {items.map(({ label: name, icon, shortcut, isDisabled, onSelect }) => (
            <button
              key={name}
              type="button"
              role="menuitem"
              disabled={isDisabled}
              onClick={() => {
                leaveMenu()
                onSelect()
              }}
            >
              {icon && <Icon name={icon} />}
              <span>{name}</span>
              {shortcut && <kbd>{shortcut}</kbd>}
            </button>
          ))}
        </div>
      )}
    </div>
  )
}
