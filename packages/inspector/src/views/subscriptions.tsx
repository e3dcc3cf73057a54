import type {
  Delivery,
  Event,
  ListedSubscription,
  Page,
  Subscription,
  SubscriptionOverview,
} from '@wabakit/server/control-types'
import { ResendFailedButton } from '../actions/resend-failed.tsx'
import { sendTestEvent } from '../actions/send-event.tsx'
import { askToDisable, askToRemove, askToRotate, enable } from '../actions/subscription-actions.tsx'
import { addSubscription, editSubscription } from '../actions/subscription-form.tsx'
import type { LiveMessage } from '../api/live.ts'
import { sendOwn } from '../api/organization.ts'
import { shortenUrl } from '../api/subscriptions.ts'
import { Button } from '../components/button.tsx'
import { EndpointLines } from '../components/endpoint-name.tsx'
import { Facts } from '../components/facts.tsx'
import { Menu } from '../components/menu.tsx'
import { Panel } from '../components/panel.tsx'
import { RecordLink } from '../components/record-link.tsx'
import { disabledTexts, EndpointState, LoadProblem, stateTexts } from '../components/status.tsx'
import { Time, timeWidth } from '../components/time.tsx'
import { useRecord } from '../components/use-record.ts'
import { DeliveryLinks } from '../detail/delivery-links.tsx'
import { Charts, Tiles } from '../figures/figures-view.tsx'
import { getWindow, WindowChoice } from '../figures/window.tsx'
import { toChoices } from '../format/choices.ts'
import { formatAge } from '../format/numbers.ts'
import type { DetailProps, ListDefinition } from '../list/list-definition.ts'
import { navigate, toSearch } from '../state/route.ts'

const formatEvents = ({ events }: Subscription): string => (events === 'all' ? 'all' : events.join(', '))

const isFor =
  (id: string) =>
  (message: LiveMessage): boolean =>
    message.type === 'attempt' && message.attempt.subscriptionId === id

/** Puts the cause of the newest delivery whose last attempt failed before more frequent ones, which may be repaired already. */
const sortCauses = (
  failures: SubscriptionOverview['failures'],
  deliveries: readonly Delivery[],
): SubscriptionOverview['failures'] => {
  const latest = deliveries.find(({ lastResponse }) => lastResponse?.cause)?.lastResponse?.cause
  return failures.toSorted((left, right) => Number(right.cause === latest) - Number(left.cause === latest))
}

const advise = (
  { disabledReason, failingSince }: Subscription,
  [main, ...others]: SubscriptionOverview['failures'],
): string => {
  const repair = 'When the endpoint works again, enable the subscription and resend the skipped deliveries.'
  if (disabledReason === 'gone' || disabledReason === 'failing') return repair
  if (disabledReason === 'by_hand') return 'Enable the subscription and resend the skipped deliveries.'
  if (failingSince === null)
    return 'It was changed after it failed. The next successful attempt reports that it has recovered.'
  const remedy = main ? `${main.text} ${main.remedy}` : 'A failed delivery below says why.'
  const more = others.length > 0 ? ' Other causes are below.' : ''
  return `${remedy}${more} After 5 days of failed attempts, the server disables the subscription.`
}

type SubscriptionHealthProps = {
  readonly subscription: Subscription
  readonly events: Page<Event> | undefined
  /** The causes of failures in the period that the page shows, the one to repair first. */
  readonly failures: SubscriptionOverview['failures']
}

/** The problems of a subscription, with advice, and its latest health events. */
const SubscriptionHealth = ({ subscription, events, failures }: SubscriptionHealthProps) => {
  const { id, enabled, failingSince, isReported } = subscription
  const linkTo = (status: string, text: string) => (
    <RecordLink view="deliveries" filters={{ subscription: id, status }}>
      {text}
    </RecordLink>
  )
  const isFailing = failingSince !== null || isReported
  if (!isFailing && (events?.items.length ?? 0) === 0) return null
  return (
    <section class="attempts" aria-label="Health">
      <h3>Health</h3>
      {isFailing && (
        <Facts
          facts={{
            'Failing since': failingSince !== null && <Time at={failingSince} />,
            'What to do': advise(subscription, failures),
            'Not sent': !enabled && linkTo('exhausted,skipped', 'exhausted or skipped deliveries'),
          }}
        />
      )}
      <ul>
        {events?.items.map((event) => (
          <li key={event.id}>
            <button type="button" onClick={() => navigate('events', { id: event.id })}>
              <span class="name">{event.name}</span>
              <Time at={event.occurredAt} />
            </button>
          </li>
        ))}
      </ul>
    </section>
  )
}

const SubscriptionDetail = ({ id, item }: DetailProps<ListedSubscription>) => {
  const query = { subscription: id, order: 'newest_first', limit: 10 }
  const isAbout = isFor(id)
  const { value, problem } = useRecord({
    load: () => sendOwn<ListedSubscription>(['subscriptions', id]),
    isAbout,
  })
  const deliveries = useRecord({
    load: () => sendOwn<Page<Delivery>>(['deliveries'], { query }),
    isAbout,
  })
  // The newest deliveries to a failing endpoint may all wait for their first attempt.
  const attempted = useRecord({
    load: () => {
      const attemptedFrom = new Date(0).toISOString()
      return sendOwn<Page<Delivery>>(['deliveries'], { query: { ...query, attemptedFrom } })
    },
    isAbout,
  })
  const events = useRecord({
    load: () =>
      sendOwn<Page<Event>>(['events'], {
        query: { subject: `subscription:${id}`, order: 'newest_first', limit: 5 },
      }),
    isAbout,
  })
  const period = getWindow()
  const figures = useRecord(
    {
      load: () => sendOwn<SubscriptionOverview>(['subscriptions', id, 'overview'], { query: period }),
      pollMs: 10_000,
    },
    [toSearch(period)],
  )
  const subscription = value ?? item
  if (subscription === undefined)
    return <Panel title={id} label="Subscription" problem={problem} hasActionsBelow />
  const { url, enabled, number, channel, headerNames, disabledReason } = subscription
  const { maxAttemptsPerSecond, previousSecretExpiresAt } = subscription
  // The parts appear at once, because each would move the ones below it.
  const isLoaded = [figures, deliveries, attempted, events].every((part) => part.value ?? part.problem)
  const isOperational = channel === 'OPERATIONS'
  // An attempt proves that there are some. Without one, an endpoint is untried, or was disabled before. Only these must wait for the list.
  const isTried = subscription.state !== 'untried' && subscription.state !== 'disabled'
  const hasDeliveries = isTried || (deliveries.value?.items.length ?? 0) > 0
  return (
    <Panel
      label="Subscription"
      hasActionsBelow
      title={shortenUrl(url)}
      badge={<EndpointState {...subscription} />}
      actions={
        <>
          <Button
            kind="primary"
            icon="events"
            disabled={!enabled || isOperational}
            onClick={() => sendTestEvent(subscription)}
          >
            Send a test event
          </Button>
          {hasDeliveries && (
            <ResendFailedButton scope="here" subscription={id} shown={period} isDisabled={!enabled} />
          )}
          <Menu
            items={[
              { label: 'Edit', icon: 'edit', onSelect: () => editSubscription(subscription) },
              { label: 'Rotate the secret', icon: 'api-keys', onSelect: () => askToRotate(subscription) },
              enabled
                ? { label: 'Disable', icon: 'pause', onSelect: () => askToDisable(subscription) }
                : { label: 'Enable', icon: 'play', onSelect: () => enable(subscription) },
              { label: 'Remove', icon: 'close', onSelect: () => askToRemove(subscription) },
            ]}
          />
        </>
      }
    >
      <Facts
        facts={{
          URL: url,
          ...(isOperational ? { Channel: channel } : { Number: `${number} · ${channel}` }),
          Events: formatEvents(subscription),
          'Static headers': headerNames.join(', '),
          'Attempts per second': maxAttemptsPerSecond !== null && `at most ${maxAttemptsPerSecond}`,
          Disabled: disabledReason !== null && disabledTexts[disabledReason],
          'Old secret': previousSecretExpiresAt !== null && (
            <span>
              also signs until <Time at={previousSecretExpiresAt} />
            </span>
          ),
          Behind: subscription.oldestDueAt !== null && (
            <span>
              its oldest due delivery has waited {formatAge(subscription.oldestDueAt)}.{' '}
              {maxAttemptsPerSecond === null
                ? 'It responds more slowly than events arrive.'
                : 'Raise its limit of attempts, if it can take more.'}
            </span>
          ),
          Id: <span class="id">{id}</span>,
        }}
      />
      {isLoaded && (
        <>
          <SubscriptionHealth
            subscription={subscription}
            events={events.value}
            failures={sortCauses(figures.value?.failures ?? [], attempted.value?.items ?? [])}
          />
          <LoadProblem text={figures.problem || deliveries.problem || events.problem} />
          {hasDeliveries && (
            <div class="line">
              <WindowChoice />
            </div>
          )}
          {hasDeliveries && figures.value && (
            <>
              <Tiles figures={figures.value} filters={{ subscription: id }} />
              <Charts figures={figures.value} filters={{ subscription: id }} />
            </>
          )}
          <DeliveryLinks deliveries={deliveries.value?.items} by="subject" />
        </>
      )}
    </Panel>
  )
}

export const subscriptions: ListDefinition<ListedSubscription> = {
  view: 'subscriptions',
  getId: ({ id }) => id,
  filters: [
    { key: 'state', label: 'State', kind: 'choice', choices: () => toChoices(Object.keys(stateTexts)) },
  ],
  columns: {
    State: { width: '92px', cell: (subscription) => <EndpointState {...subscription} /> },
    Endpoint: {
      width: 'minmax(140px, 2fr)',
      cell: ({ url }) => (
        <span class="name">
          <EndpointLines url={url} />
        </span>
      ),
      isName: true,
    },
    Number: { width: 'minmax(110px, 1fr)', cell: ({ number }) => number, isExtra: 'below' },
    Channel: { width: '96px', cell: ({ channel }) => channel, isExtra: true },
    Events: { width: 'minmax(90px, 1.4fr)', cell: formatEvents, isExtra: true },
    Created: { width: timeWidth, cell: ({ createdAt }) => <Time at={createdAt} /> },
  },
  isAbout: ({ type }) => type === 'attempt',
  add: { label: 'Subscribe an endpoint', run: addSubscription },
  Detail: SubscriptionDetail,
  empty: {
    title: 'No subscriptions yet',
    text: 'A subscription sends the events of a number to an endpoint. Create one:',
    commands: [
      'wabakit listen --forward-to http://127.0.0.1:3000/webhooks',
      'wabakit subscription create --channel PSTN --number <your number> --url http://127.0.0.1:3000/webhooks',
    ],
  },
}
