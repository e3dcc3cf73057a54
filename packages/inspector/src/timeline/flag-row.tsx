import type { TimelineEntry } from '@wabakit/server/control-types'
import { RecordLink } from '../components/record-link.tsx'
import { reveal } from '../format/mask.ts'
import { formatTime } from '../format/time.ts'
import { navigate, type Params } from '../state/route.ts'
import { MarkSign } from './delivery-row.tsx'
import { type Axis, placeFlags } from './scale.ts'

/** Returns the tone of a response to an API request. */
export const getTone = (status: number | null): string => {
  if (status === null || status < 200 || status >= 500) return 'bad'
  return status < 300 ? 'good' : 'warn'
}

const toFlag = (entry: TimelineEntry, index: number) => {
  const shared = { key: `${entry.kind}-${index}`, at: Date.parse(entry.at), entry }
  if (entry.kind === 'event') return { ...shared, text: reveal(entry.event.name), tone: 'plain' }
  if (entry.kind === 'change') return { ...shared, text: entry.state, tone: 'plain' }
  if (entry.kind !== 'request') return []
  const { method, path, status } = entry.request
  const text = `${method} ${path.split('/').at(-1)} ${status ?? 'no response'}`
  return { ...shared, text, tone: getTone(status) }
}

const lineHeight = 26
/** Maximum number of lines. A group with many members would otherwise fill the screen with events. */
const maxLines = 6

const open = (entry: TimelineEntry): void => {
  if (entry.kind === 'event') navigate('events', { id: entry.event.id })
  if (entry.kind === 'request') navigate('requests', { id: entry.request.requestId })
}

type FlagRowProps = Axis & {
  readonly title: string
  readonly kind: 'request' | 'change' | 'event'
  readonly entries: readonly TimelineEntry[]
  /** The filter for links to the lists that show all entries. */
  readonly filters: Params
}

export const FlagRow = ({ title, kind, entries, filters, ...axis }: FlagRowProps) => {
  const flags = entries.filter((entry) => entry.kind === kind).flatMap(toFlag)
  if (flags.length === 0) return null
  const all = placeFlags(flags, axis)
  const placed = all.filter(({ line }) => line < maxLines)
  const lines = Math.max(...placed.map(({ line }) => line)) + 1
  const hidden = all.length - placed.length
  return (
    <div class="lane-row flags">
      <div class="lane-label">
        {title}{' '}
        {hidden > 0 && (
          <RecordLink view={kind === 'request' ? 'requests' : 'events'} filters={filters}>
            {hidden} more
          </RecordLink>
        )}
      </div>
      <div class="track" style={{ height: `${lines * lineHeight + 10}px` }}>
        {placed.map(({ key, x, line, text, tone, at, entry }) => (
          <button
            key={key}
            type="button"
            class={`flag ${tone}`}
            disabled={entry.kind === 'change'}
            style={{ left: `${x}px`, top: `${line * lineHeight + 6}px` }}
            title={`${text} at ${formatTime(new Date(at).toISOString())}`}
            onClick={() => open(entry)}
          >
            {text}
            <MarkSign marks={entry.marks} />
          </button>
        ))}
      </div>
    </div>
  )
}
