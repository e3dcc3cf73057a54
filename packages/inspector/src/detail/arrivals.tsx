import type { Arrival } from '@wabakit/server/control-types'
import { shortenUrl } from '../api/subscriptions.ts'
import { Breakable } from '../components/breakable.tsx'
import { RecordLink } from '../components/record-link.tsx'
import { TextWithTime } from '../components/time.tsx'

const tones = { delivered: 'good', under_way: 'idle', not_delivered: 'bad' } as const

type ArrivalsProps = {
  readonly endpoints: readonly Arrival[]
  /** Names the call or the group in a view that has several, so that its links can be told apart. */
  readonly about?: string
}

/** A line per endpoint: whether everything has arrived there, and if not, what holds it back. */
export const Arrivals = ({ endpoints, about }: ArrivalsProps) =>
  endpoints.length === 0 ? null : (
    <ul class="arrivals" aria-label="Arrived at">
      {endpoints.map(({ subscriptionId, url, state, at, text, deliveryId }) => (
        <li key={subscriptionId}>
          <span class={`dot ${tones[state]}`} aria-hidden="true" />
          <span>
            <RecordLink view="subscriptions" id={subscriptionId}>
              <Breakable text={url === null ? subscriptionId : shortenUrl(url)} />
            </RecordLink>{' '}
            <TextWithTime text={text} at={at} to="second" />{' '}
            {state !== 'delivered' && (
              <RecordLink view="deliveries" id={deliveryId}>
                Open
                <span class="sr-only">
                  {` the delivery to ${shortenUrl(url ?? subscriptionId)}${about ? ` (${about})` : ''}`}
                </span>
              </RecordLink>
            )}
          </span>
        </li>
      ))}
    </ul>
  )
