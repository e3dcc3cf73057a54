import { signal } from '@preact/signals'

const key = 'wabakit-control-token'

/** The control token, kept until the tab is closed. */
export const token = signal(sessionStorage.getItem(key) ?? '')

/** Set if the server requires a token, or has rejected the current one. */
export const isTokenRequired = signal(false)

export const logIn = (sent: string): void => {
  sessionStorage.setItem(key, sent)
  token.value = sent
  isTokenRequired.value = false
}

export const logOut = (): void => {
  sessionStorage.removeItem(key)
  token.value = ''
  isTokenRequired.value = true
}
