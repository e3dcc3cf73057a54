import type { TimelineEntry } from '@wabakit/server/control-types'
import { formatTime } from '../format/time.ts'
import { navigate } from '../state/route.ts'
import { MarkSign } from './delivery-row.tsx'
import { type Flag, placeFlags } from './flags.ts'
import type { Axis } from './scale.ts'

type FlagRowProps = Axis & { readonly title: string; readonly flags: readonly Flag[] }

const lineHeight = 26

const open = (entry: TimelineEntry): void => {
  if (entry.kind === 'event') navigate('events', { id: entry.event.id })
  if (entry.kind === 'request') navigate('requests', { id: entry.request.requestId })
}

export const FlagRow = ({ title, flags, place, width }: FlagRowProps) => {
  if (flags.length === 0) return null
  const placed = placeFlags(flags, { place, width })
  const lines = Math.max(...placed.map(({ line }) => line)) + 1
  return (
    <div class="lane-row flags">
      <div class="lane-label">{title}</div>
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
