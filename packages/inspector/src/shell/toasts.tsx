import { IconButton } from '../parts/button.tsx'
import { dismiss, notices } from '../state/notices.ts'

export const Toasts = () => (
  <div class="toasts" role="status">
    {notices.value.map(({ id, text, isProblem }) => (
      <div key={id} class={`toast ${isProblem ? 'bad' : ''}`}>
        <span>{text}</span>
        <IconButton icon="close" label="Dismiss" onClick={() => dismiss(id)} />
      </div>
    ))}
  </div>
)
