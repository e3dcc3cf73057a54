import { signal } from '@preact/signals'
import { remember } from './settings.ts'

/** The control token, or an empty string. The browser forgets it when the tab is closed. */
export const token = remember('control-token', { storage: sessionStorage })

/** Set if the server requires a token, or has rejected the current one. */
export const isTokenRequired = signal(false)

export const logIn = (sent: string): void => {
  token.value = sent
  isTokenRequired.value = false
}

export const logOut = (): void => {
  token.value = ''
  isTokenRequired.value = true
}
