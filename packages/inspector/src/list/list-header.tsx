import { isConnected } from '../api/live.ts'
import { Icon } from '../parts/icon.tsx'

type ListHeaderProps = {
  readonly title: string
  readonly isLoading: boolean
  readonly isPaused: boolean
  /** How much has happened since the list was paused. */
  readonly missed: number
  readonly onPause: (pause: boolean) => void
}

/** The title of a list, and whether it is live. */
export const ListHeader = ({ title, isLoading, isPaused, missed, onPause }: ListHeaderProps) => {
  const state = isPaused ? 'Paused' : isConnected.value ? 'Live' : 'Connecting'
  return (
    <header class="list-header">
      <h1>{title}</h1>
      <div class={`progress ${isLoading ? 'on' : ''}`} />
      <button
        type="button"
        class={`live ${state.toLowerCase()}`}
        aria-pressed={isPaused}
        onClick={() => onPause(!isPaused)}
        title={isPaused ? 'Show what has happened since' : 'Pause: the list stays as it is'}
      >
        <span class="dot" aria-hidden="true" />
        <span>
          {state}
          {missed > 0 && ` · ${missed} new`}
        </span>
        <Icon name={isPaused ? 'play' : 'pause'} />
      </button>
    </header>
  )
}
