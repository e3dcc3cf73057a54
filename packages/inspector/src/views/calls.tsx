import type { Call } from '@wabakit/server/control-types'
import { toChoices } from '../api/choices.ts'
import { showNumber } from '../format/mask.ts'
import { formatDuration } from '../format/time.ts'
import type { ListDefinition } from '../list/list-definition.ts'
import { Badge } from '../parts/status.tsx'
import { Time, timeWidth } from '../parts/time.tsx'
import { numberFilter, timeFilter } from './filters.ts'

const tones = {
  initiated: 'busy',
  accepted: 'busy',
  ended: 'good',
  missed: 'warn',
  rejected: 'warn',
  not_picked: 'warn',
} as const

/** The state of a call. A call with a summary is summarized. */
export const CallState = ({ state, summary }: Pick<Call, 'state'> & { readonly summary: unknown }) => (
  <Badge tone={tones[state]}>{summary ? 'summarized' : state}</Badge>
)

export const calls: ListDefinition<Call> = {
  view: 'calls',
  title: 'Calls',
  source: (id) => ({ path: `/organizations/${encodeURIComponent(id)}/calls` }),
  isMutable: true,
  getId: ({ callId }) => callId,
  getTime: ({ initiatedAt }) => initiatedAt,
  searches: 'ids and customers',
  filters: [
    {
      key: 'state',
      label: 'State',
      kind: 'choice',
      choices: () => toChoices(['initiated', 'accepted', 'ended', 'missed', 'rejected', 'not_picked']),
    },
    numberFilter,
    { key: 'customer', label: 'Customer', kind: 'text', placeholder: 'any number' },
    timeFilter,
  ],
  columns: [
    { title: 'State', width: '104px', cell: (call) => <CallState {...call} /> },
    {
      title: 'Call',
      width: 'minmax(80px, 1.2fr)',
      cell: ({ callId }) => <span class="id">{callId}</span>,
      isExtra: true,
    },
    {
      title: 'Customer',
      width: 'minmax(104px, 1fr)',
      cell: ({ customerNumber }) => showNumber(customerNumber),
    },
    {
      title: 'Number',
      width: 'minmax(104px, 1fr)',
      cell: ({ channelNumber }) => channelNumber,
      isExtra: true,
    },
    {
      title: 'Kind',
      width: 'minmax(104px, 1fr)',
      cell: ({ direction, channel }) => `${direction.toLowerCase()} · ${channel}`,
      isExtra: 'below',
    },
    {
      title: 'Duration',
      width: '64px',
      cell: ({ durationInSeconds: seconds }) => (
        <span class="number">{seconds === null ? '–' : formatDuration(seconds * 1_000)}</span>
      ),
      isExtra: true,
    },
    { title: 'Time', width: timeWidth, cell: ({ initiatedAt }) => <Time at={initiatedAt} /> },
  ],
  isChangedBy: (message) => message.type === 'event' && message.event.subject.startsWith('call:'),
  empty: {
    title: 'No calls yet',
    text: 'Simulate one, from the first ring to the summary:',
    commands: [
      'wabakit trigger call',
      'wabakit trigger call --set outcome=missed',
      'wabakit trigger call --set channel=WHATSAPP --set direction=OUTGOING',
    ],
  },
}
