import { connection } from '../api/live.ts'
import { Icon } from '../parts/icon.tsx'

type ListHeaderProps = {
  readonly title: string
  readonly isLoading: boolean
  readonly isPaused: boolean
  readonly onPause: (pause: boolean) => void
}

const states = {
  connecting: { text: 'Connecting', tone: 'idle' },
  connected: { text: 'Live', tone: 'good' },
  broken: { text: 'Not connected', tone: 'bad' },
} as const

export const ListHeader = ({ title, isLoading, isPaused, onPause }: ListHeaderProps) => {
  const state = states[connection.value]
  const isLive = connection.value === 'connected'
  return (
    <header class="list-header">
      <h1>{title}</h1>
      <div class={`progress ${isLoading ? 'on' : ''}`} />
      <button
        type="button"
        class={`connection ${isPaused && isLive ? 'warn' : state.tone}`}
        aria-pressed={isPaused}
        onClick={() => onPause(!isPaused)}
        title={isPaused ? 'Let new records appear' : 'Pause: new records are only counted'}
      >
        <span class="dot" aria-hidden="true" />
        <span role="status">{isPaused && isLive ? 'Paused' : state.text}</span>
        <Icon name={isPaused ? 'play' : 'pause'} />
      </button>
    </header>
  )
}
