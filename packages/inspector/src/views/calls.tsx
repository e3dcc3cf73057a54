import type { Call, SummaryStatus } from '@wabakit/server/control-types'
import { Arrivals } from '../detail/arrivals.tsx'
import { SubjectDetail } from '../detail/subject-detail.tsx'
import { SummaryView } from '../detail/summary-view.tsx'
import { toChoices } from '../format/choices.ts'
import { showNumber } from '../format/mask.ts'
import { formatDuration } from '../format/time.ts'
import type { DetailProps, ListDefinition } from '../list/list-definition.ts'
import { Facts } from '../parts/facts.tsx'
import { RecordLink } from '../parts/record-link.tsx'
import { Badge } from '../parts/status.tsx'
import { Time, timeWidth } from '../parts/time.tsx'
import { numberFilter, timeFilter } from './filters.ts'

const tones = {
  initiated: 'busy',
  accepted: 'busy',
  ended: 'good',
  missed: 'warn',
  rejected: 'warn',
} as const

export const CallState = ({ state }: Pick<Call, 'state'>) => <Badge tone={tones[state]}>{state}</Badge>

const formatKind = ({ direction, channel }: Call): string => `${direction.toLowerCase()} · ${channel}`

const CallFacts = ({ call }: { readonly call: Call }) => {
  const { customerNumber, channelNumber, agentNumber, durationInSeconds } = call
  return (
    <Facts
      isInline
      facts={{
        Customer: (
          <RecordLink view="customers" id={customerNumber.replace(/\D/g, '')}>
            {showNumber(customerNumber)}
          </RecordLink>
        ),
        Number: channelNumber,
        Agent: agentNumber !== null && showNumber(agentNumber),
        Kind: formatKind(call),
        Duration: durationInSeconds !== null && formatDuration(durationInSeconds * 1_000),
      }}
    />
  )
}

const SummaryBox = ({ status }: { readonly status: SummaryStatus }) => (
  <p>
    {status.state === 'due' ? (
      <>
        The summary is due at <Time at={status.at} />.
      </>
    ) : status.state === 'blocked' || status.state === 'undelivered' ? (
      // The lines below name the endpoints, and why.
      status.text.replace(/(?<=endpoints\.) .*/s, '')
    ) : (
      status.text
    )}
  </p>
)

const CallDetail = ({ id }: DetailProps<Call>) => (
  <SubjectDetail
    kind="call"
    id={id}
    title={() => (
      <>
        Call <span class="id">{id}</span>
      </>
    )}
    badge={({ call }) => call && <CallState {...call} />}
    facts={({ call, summaryStatus, endpoints }) => (
      <>
        {call && <CallFacts call={call} />}
        <section class="verdict" aria-label="Did it arrive?">
          {summaryStatus && <SummaryBox status={summaryStatus} />}
          <Arrivals endpoints={endpoints} />
        </section>
        {call?.summary && <SummaryView summary={call.summary} />}
      </>
    )}
  />
)

export const calls: ListDefinition<Call> = {
  view: 'calls',
  isMutable: true,
  getId: ({ callId }) => callId,
  getTime: ({ initiatedAt }) => initiatedAt,
  searches: 'ids and customers',
  filters: [
    {
      key: 'state',
      label: 'State',
      kind: 'choice',
      choices: () => toChoices(Object.keys(tones), (state) => state.replaceAll('_', ' ')),
    },
    numberFilter,
    { key: 'customer', label: 'Customer', kind: 'text', placeholder: 'any number' },
    timeFilter,
  ],
  columns: {
    State: { width: '104px', cell: (call) => <CallState {...call} /> },
    Call: {
      width: 'minmax(80px, 1.65fr)',
      cell: ({ callId }) => <span class="id">{callId}</span>,
      isExtra: true,
    },
    Customer: { width: 'minmax(104px, 1fr)', cell: ({ customerNumber }) => showNumber(customerNumber) },
    Number: { width: 'minmax(104px, 1fr)', cell: ({ channelNumber }) => channelNumber, isExtra: true },
    Kind: { width: 'minmax(104px, 1fr)', cell: formatKind, isExtra: 'below' },
    Duration: {
      width: '64px',
      cell: ({ durationInSeconds: seconds }) => (
        <span class="number">{seconds === null ? '–' : formatDuration(seconds * 1_000)}</span>
      ),
      isExtra: true,
    },
    Time: { width: timeWidth, cell: ({ initiatedAt }) => <Time at={initiatedAt} /> },
  },
  isChangedBy: (message) => message.type === 'event' && message.event.subject.startsWith('call:'),
  Detail: CallDetail,
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
