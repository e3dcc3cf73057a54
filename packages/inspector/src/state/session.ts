import { computed, signal } from '@preact/signals'
import { remember } from './settings.ts'

/** The control token, or an empty string. The browser forgets it when the tab is closed. */
export const token = remember('control-token', { storage: sessionStorage })

/** Why the user has to log in; empty if not. */
export const loginReason = signal('')

export const isTokenRequired = computed(() => loginReason.value !== '')

/** Asks for the token after the server refused a request that was sent with `sent`, unless the user has logged in since. */
export const requireToken = (sent: string): void => {
  if (sent !== token.value || isTokenRequired.value) return
  loginReason.value =
    sent === ''
      ? 'The server requires its control token.'
      : 'The server no longer accepts the token that you logged in with. Was it changed?'
}

export const logIn = (sent: string): void => {
  token.value = sent
  loginReason.value = ''
}

export const logOut = (): void => {
  token.value = ''
  loginReason.value = 'You have logged out.'
}
