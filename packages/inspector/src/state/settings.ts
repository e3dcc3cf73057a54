import { effect, type Signal, signal } from '@preact/signals'

/** Creates a signal whose value the browser stores. */
export const remember = (name: string, { initial = '', storage = localStorage } = {}): Signal<string> => {
  const key = `wabakit-${name}`
  const chosen = signal(storage.getItem(key) ?? initial)
  effect(() => storage.setItem(key, chosen.value))
  return chosen
}

export const theme = remember('theme', { initial: 'system' })

/** Set to `on` to mask personal data. */
export const masking = remember('masking', { initial: 'off' })

export const switchMasking = (): void => {
  masking.value = masking.value === 'on' ? 'off' : 'on'
}

effect(() => {
  document.documentElement.dataset.theme = theme.value
})
