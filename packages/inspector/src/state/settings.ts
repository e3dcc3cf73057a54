import { effect, type Signal, signal } from '@preact/signals'

/** Creates a setting that the browser remembers. */
const remember = (name: string, initial: string): Signal<string> => {
  const key = `wabakit-${name}`
  const chosen = signal(localStorage.getItem(key) ?? initial)
  effect(() => localStorage.setItem(key, chosen.value))
  return chosen
}

export const themes: readonly string[] = ['system', 'light', 'dark']

/** The color scheme: `system`, `light` or `dark`. */
export const theme = remember('theme', 'system')

/** `on` when personal data is masked. */
export const masking = remember('masking', 'off')

export const switchMasking = (): void => {
  masking.value = masking.value === 'on' ? 'off' : 'on'
}

effect(() => {
  document.documentElement.dataset.theme = theme.value
})
