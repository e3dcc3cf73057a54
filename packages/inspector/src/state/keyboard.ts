import { closeRecord, currentId, leaveRow, openId, openRecord, step } from './current-record.ts'
import { failing, navigate, type Params, type View } from './route.ts'
import { switchMasking } from './settings.ts'

/** The current bindings other than `common`, such as `r` to resend the current delivery. */
const actions = new Map<string, () => unknown>()

/** Binds keys to actions, which `perform` executes. Returns a function that removes the bindings. */
export const bindKeys = <Action>(
  bindings: Readonly<Record<string, Action>>,
  perform: (action: Action) => unknown,
): (() => void) => {
  const bound = Object.entries(bindings).map(([key, action]) => [key, () => perform(action)] as const)
  for (const [key, action] of bound) actions.set(key, action)
  return () => {
    for (const [key, action] of bound) if (actions.get(key) === action) actions.delete(key)
  }
}

const places: Readonly<Record<string, readonly [View, Params?]>> = {
  o: ['overview'],
  d: ['deliveries'],
  f: ['deliveries', failing],
  e: ['events'],
  c: ['calls'],
  g: ['groups'],
  s: ['subscriptions'],
  a: ['requests'],
  k: ['api-keys'],
}

const search = (): void => {
  const field = document.querySelector<HTMLInputElement>('#search')
  field?.focus()
  field?.select()
}

const common: Readonly<Record<string, () => unknown>> = {
  j: () => step(1),
  k: () => step(-1),
  '/': search,
  m: switchMasking,
  Enter: () => {
    if (currentId.value === '') step(1)
    else if (openId.value === '') openRecord(currentId.value)
    else document.querySelector<HTMLElement>('.detail .body')?.focus()
  },
  Escape: () => {
    if (openId.value === '') leaveRow()
    else closeRecord()
  },
}

/**
 * Opens a view, and gives it the focus, from which Tab continues. The element that had the focus may have been in the previous
 * view, and be gone.
 */
const open = (...place: readonly [View, Params?]): void => {
  navigate(...place)
  document.querySelector<HTMLElement>('main')?.focus()
}

/** The keys that open the search, as the user's keyboard names them. */
export const findKeys = navigator.platform.startsWith('Mac') ? '⌘K' : 'Ctrl K'

const goTimeMs = 1_500

/** When the effect of `g` ends. Until then, a letter opens a view. */
let goingUntil = 0

const findAction = (key: string): (() => unknown) | undefined => {
  if (performance.now() < goingUntil) {
    goingUntil = 0
    const place = places[key]
    return place && (() => open(...place))
  }
  if (key !== 'g') return actions.get(key) ?? common[key]
  return () => {
    goingUntil = performance.now() + goTimeMs
  }
}

/**
 * Handles keys until the returned function is called. While the user types, only Escape and the keys that open the search work.
 * While a dialog is open, no keys work, because a second dialog would replace it and discard unsaved input.
 */
export const startKeyboard = (): (() => void) => {
  const press = (event: KeyboardEvent): void => {
    const { key, target } = event
    const find = actions.get('find')
    const isBlocked = document.querySelector('dialog[open]') !== null
    if (key.toLowerCase() === 'k' && (event.ctrlKey || event.metaKey) && find !== undefined) {
      event.preventDefault()
      if (!isBlocked) find()
      return
    }
    if (event.ctrlKey || event.metaKey || event.altKey || isBlocked) return
    if (target instanceof HTMLElement && target.matches('input, select, textarea')) {
      if (key === 'Escape') target.blur()
      return
    }
    // The browser already lets Enter activate a focused element.
    if (key === 'Enter' && target instanceof Element && target.matches('a, button, summary')) return
    const action = findAction(key)
    if (action === undefined) return
    event.preventDefault()
    action()
  }
  addEventListener('keydown', press)
  return () => removeEventListener('keydown', press)
}
