import { signal } from '@preact/signals'
import { IconButton } from '../parts/button.tsx'

type Toast = { readonly id: number; readonly text: string; readonly isProblem: boolean }

const toasts = signal<readonly Toast[]>([])
const shownMs = 6_000
let count = 0

const remove = (id: number): void => {
  toasts.value = toasts.value.filter((toast) => toast.id !== id)
}

/** Says briefly what an action has done, or why it could not. */
export const notify = (text: string, { isProblem = false } = {}): void => {
  const id = ++count
  toasts.value = [...toasts.value.slice(-2), { id, text, isProblem }]
  setTimeout(() => remove(id), shownMs)
}

export const Toasts = () => (
  <div class="toasts" role="status">
    {toasts.value.map(({ id, text, isProblem }) => (
      <div key={id} class={`toast ${isProblem ? 'bad' : ''}`}>
        <span>{text}</span>
        <IconButton icon="close" label="Dismiss" onClick={() => remove(id)} />
      </div>
    ))}
  </div>
)
