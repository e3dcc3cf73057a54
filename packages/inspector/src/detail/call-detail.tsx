import type { Call, SummaryStatus } from '@wabakit/server/control-types'
import { showNumber, showText } from '../format/mask.ts'
import { formatDuration } from '../format/time.ts'
import type { DetailProps } from '../list/list-view.tsx'
import { Facts } from '../parts/facts.tsx'
import { RecordLink } from '../parts/record-link.tsx'
import { Time } from '../parts/time.tsx'
import { CallState } from '../views/calls.tsx'
import { SubjectDetail } from './subject-detail.tsx'

const CallFacts = ({ call }: { readonly call: Call }) => {
  const { direction, channel, customerNumber, channelNumber, agentNumber, durationInSeconds, summary } = call
  return (
    <Facts
      isInline
      facts={{
        Customer: showNumber(customerNumber),
        Number: channelNumber,
        Agent: agentNumber !== null && showNumber(agentNumber),
        Kind: `${direction.toLowerCase()} · ${channel}`,
        Duration: durationInSeconds !== null && formatDuration(durationInSeconds * 1_000),
        Summary: summary !== null && showText(summary.recap ?? ''),
      }}
    />
  )
}

/** The state of a call's summary, with a link to its delivery if there is one. */
const SummaryBox = ({ status }: { readonly status: SummaryStatus }) => (
  <section class="verdict" aria-label="Summary">
    <p>
      {status.state === 'due' ? (
        <>
          The summary is due at <Time at={status.at} />.
        </>
      ) : (
        status.text
      )}{' '}
      {'deliveryId' in status && (
        <RecordLink view="deliveries" id={status.deliveryId}>
          Open the delivery of {status.eventName}
        </RecordLink>
      )}
    </p>
  </section>
)

export const CallDetail = ({ id }: DetailProps<Call>) => (
  <SubjectDetail
    kind="call"
    id={id}
    title={() => (
      <>
        Call <span class="id">{id}</span>
      </>
    )}
    badge={({ call }) => call && <CallState {...call} />}
    facts={({ call, summaryStatus }) => (
      <>
        {call && <CallFacts call={call} />}
        {summaryStatus && <SummaryBox status={summaryStatus} />}
      </>
    )}
  />
)
