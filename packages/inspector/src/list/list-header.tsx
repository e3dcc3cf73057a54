import { connection } from '../api/live.ts'
import { Icon } from '../parts/icon.tsx'
import { pageSize, type RecordList } from './record-list.ts'

type ListHeaderProps<Item> = {
  readonly title: string
  readonly list: RecordList<Item>
  readonly onShowFresh: () => void
}

const states = {
  connecting: { text: 'Connecting', tone: 'idle' },
  connected: { text: 'Live', tone: 'good' },
  broken: { text: 'Not connected', tone: 'bad' },
} as const

export const ListHeader = <Item,>({ title, list, onShowFresh }: ListHeaderProps<Item>) => {
  const isPaused = list.isPaused.value
  const fresh = list.freshCount.value
  const state = states[connection.value]
  const isLive = connection.value === 'connected'
  return (
    <header class="list-header">
      <h1>{title}</h1>
      <div class={`progress ${list.isLoading.value ? 'on' : ''}`} />
      <div role="status">
        {fresh > 0 && (
          <button type="button" class="button primary fresh" onClick={onShowFresh}>
            {fresh >= pageSize ? `${fresh}+ new` : `${fresh} new`}
          </button>
        )}
      </div>
      <button
        type="button"
        class={`connection ${isPaused && isLive ? 'warn' : state.tone}`}
        aria-pressed={isPaused}
        onClick={() => {
          list.isPaused.value = !isPaused
        }}
        title={isPaused ? 'Let new records appear' : 'Pause: new records are only counted'}
      >
        <span class="dot" aria-hidden="true" />
        <span role="status">{isPaused && isLive ? 'Paused' : state.text}</span>
        <Icon name={isPaused ? 'play' : 'pause'} />
      </button>
    </header>
  )
}
