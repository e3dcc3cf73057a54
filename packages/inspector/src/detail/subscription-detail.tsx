import type { Delivery, Page, Subscription } from '@wabakit/server/control-types'
import { askForLimit } from '../actions/limit-attempts.tsx'
import { askToRotate } from '../actions/rotate-secret.tsx'
import { sendTestEvent, setEnabled } from '../actions/subscription-actions.ts'
import { shortenUrl } from '../api/choices.ts'
import type { LiveMessage } from '../api/live.ts'
import { sendOwn } from '../api/organization.ts'
import type { DetailProps } from '../list/list-view.tsx'
import { Button } from '../parts/button.tsx'
import { Facts } from '../parts/facts.tsx'
import { Menu } from '../parts/menu.tsx'
import { Panel } from '../parts/panel.tsx'
import { Time } from '../parts/time.tsx'
import { useRecord } from '../parts/use-record.ts'
import { SubscriptionStatus } from '../views/subscriptions.tsx'
import { DeliveryLinks } from './delivery-links.tsx'
import { SubscriptionHealth } from './subscription-health.tsx'

/** A subscription: its endpoint, its state, and its last deliveries. */
export const SubscriptionDetail = ({ id, item }: DetailProps<Subscription>) => {
  const path = `/subscriptions/${encodeURIComponent(id)}`
  const query = { subscription: id, order: 'newest_first', limit: 10 }
  const isAbout = (message: LiveMessage): boolean =>
    message.type === 'attempt' && message.attempt.subscriptionId === id
  const { value, problem } = useRecord({ load: () => sendOwn<Subscription>(path), isAbout }, [path])
  const { value: deliveries } = useRecord(
    { load: () => sendOwn<Page<Delivery>>('/deliveries', { query }), isAbout },
    [id],
  )
  const subscription = value ?? item
  if (subscription === undefined) return <Panel title={id} label="Subscription" problem={problem} />
  const { url, enabled, number, channel, events, headerNames } = subscription
  const { maxAttemptsPerSecond, previousSecretExpiresAt } = subscription
  const isOperational = channel === 'OPERATIONS'
  return (
    <Panel
      label="Subscription"
      title={shortenUrl(url)}
      badge={<SubscriptionStatus {...subscription} />}
      actions={
        <>
          <Button
            kind="primary"
            icon="events"
            disabled={!enabled || isOperational}
            onClick={() => sendTestEvent(id)}
          >
            Send a test event
          </Button>
          <Menu
            label="More actions"
            items={[
              { label: enabled ? 'Disable' : 'Enable', onSelect: () => setEnabled(id, !enabled) },
              { label: 'Limit attempts per second', onSelect: () => askForLimit(subscription) },
              { label: 'Rotate the secret', onSelect: () => askToRotate(subscription) },
            ]}
          />
        </>
      }
    >
      <Facts
        facts={{
          URL: url,
          ...(isOperational ? { Channel: channel } : { Number: `${number} · ${channel}` }),
          Events: events === 'all' ? 'all' : events.join(', '),
          'Static headers': headerNames.join(', '),
          'Attempts per second': maxAttemptsPerSecond !== null && `at most ${maxAttemptsPerSecond}`,
          Disabled: subscription.disabledReason?.replace('_', ' '),
          'Old secret': previousSecretExpiresAt !== null && (
            <span>
              also signs until <Time at={previousSecretExpiresAt} />
            </span>
          ),
          Id: <span class="id">{id}</span>,
        }}
      />
      <SubscriptionHealth subscription={subscription} />
      <DeliveryLinks deliveries={deliveries?.items} by="subject" />
    </Panel>
  )
}
