import type { Call, ListedCall, SummaryStatus } from '@wabakit/server/control-types'
import { Facts } from '../components/facts.tsx'
import { RecordLink } from '../components/record-link.tsx'
import { Badge } from '../components/status.tsx'
import { Time, timeWidth } from '../components/time.tsx'
import { Arrivals } from '../detail/arrivals.tsx'
import { SubjectDetail } from '../detail/subject-detail.tsx'
import { SummaryView } from '../detail/summary-view.tsx'
import { toChoices } from '../format/choices.ts'
import { showNumber } from '../format/mask.ts'
import { formatDuration } from '../format/time.ts'
import type { DetailProps, ListDefinition } from '../list/list-definition.ts'
import { numberFilter, timeFilter } from './filters.ts'

const tones = {
  initiated: 'busy',
  accepted: 'busy',
  ended: 'good',
  missed: 'warn',
  rejected: 'warn',
} as const

export const CallState = ({ state }: Pick<Call, 'state'>) => <Badge tone={tones[state]}>{state}</Badge>

const arrivals = {
  delivered: { tone: 'good', text: 'delivered' },
  under_way: { tone: 'busy', text: 'under way' },
  not_delivered: { tone: 'bad', text: 'not delivered' },
} as const

/** Shows whether the summary of a call has arrived and, if only some of its endpoints have it, how many. */
const SummaryCell = ({ summaryArrival, summaryEndpoints: all, summaryMissing: missing }: ListedCall) => {
  if (summaryArrival === null) return <span class="quiet">–</span>
  const { tone, text } = arrivals[summaryArrival]
  if (missing === 0 || missing === all) return <Badge tone={tone}>{text}</Badge>
  return (
    <Badge
      tone={tone === 'bad' ? 'warn' : tone}
      about={`The summary has arrived at ${all - missing} of ${all} endpoints; the rest: ${text}`}
    >
      <span class="brief">summary </span>
      {`at ${all - missing} of ${all}`}
    </Badge>
  )
}

const formatKind = ({ direction, channel }: Call): string => `${direction.toLowerCase()} · ${channel}`

const describeCall = (call: Call): string =>
  [formatKind(call), call.durationInSeconds !== null && formatDuration(call.durationInSeconds * 1_000)]
    .filter(Boolean)
    .join(' · ')

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

const CallDetail = ({ id }: DetailProps<ListedCall>) => (
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

export const calls: ListDefinition<ListedCall> = {
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
    { key: 'customer', label: 'Customer', kind: 'text', placeholder: 'any number' },
    timeFilter,
    numberFilter,
  ],
  columns: {
    State: { width: 'var(--state)', cell: (call) => <CallState {...call} /> },
    Summary: { width: '104px', cell: SummaryCell, isExtra: 'below' },
    Call: {
      width: 'minmax(60px, 1.2fr)',
      cell: ({ callId }) => <span class="id">{callId}</span>,
      isExtra: true,
    },
    Customer: {
      width: 'minmax(104px, 1fr)',
      cell: ({ customerNumber }) => showNumber(customerNumber),
      isName: true,
    },
    Number: { width: 'minmax(104px, 1fr)', cell: ({ channelNumber }) => channelNumber, isExtra: true },
    Kind: { width: 'minmax(104px, 1.4fr)', cell: describeCall, isExtra: 'below' },
    Time: { width: timeWidth, cell: ({ initiatedAt }) => <Time at={initiatedAt} /> },
  },
  isAbout: (message) =>
    message.type === 'event'
      ? message.event.subject.startsWith('call:')
      : message.attempt.eventName === 'CALL_AI_SUMMARY',
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
