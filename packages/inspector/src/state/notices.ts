import { signal } from '@preact/signals'

/** `good`: it succeeded. `bad`: it failed. `plain`: the result is not known yet. */
export type Tone = 'good' | 'bad' | 'plain'

type Notice = { readonly id: number; readonly text: string; readonly tone: Tone }

/** The messages in view about the results of actions, oldest first. */
export const notices = signal<readonly Notice[]>([])

const shownMs = 6_000
let count = 0

export const dismiss = (id: number): void => {
  notices.value = notices.value.filter((notice) => notice.id !== id)
}

export const notify = (text: string, { tone = 'good' }: { readonly tone?: Tone } = {}): void => {
  const id = ++count
  notices.value = [...notices.value.slice(-2), { id, text, tone }]
  setTimeout(() => dismiss(id), shownMs)
}
