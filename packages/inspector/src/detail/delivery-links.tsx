import type { Delivery } from '@wabakit/server/control-types'
import { findSubscription, shortenUrl } from '../api/subscriptions.ts'
import { Breakable } from '../components/breakable.tsx'
import { DeliveryStatus } from '../components/status.tsx'
import { nameSubject } from '../components/subject-link.tsx'
import { Time } from '../components/time.tsx'
import { navigate } from '../state/route.ts'

type DeliveryLinksProps = {
  readonly deliveries: readonly Delivery[] | undefined
  /** The property in which the deliveries differ. */
  readonly by: 'endpoint' | 'subject'
}

const describe = (delivery: Delivery, by: DeliveryLinksProps['by']): string =>
  by === 'subject' ? nameSubject(delivery) : shortenUrl(findSubscription(delivery.subscriptionId)?.url ?? '')

const none = {
  endpoint: 'No subscription matched when this event was published.',
  subject: 'This subscription has not matched an event yet.',
} as const

export const DeliveryLinks = ({ deliveries, by }: DeliveryLinksProps) => (
  <section class="attempts links" aria-label="Deliveries">
    <h3>Deliveries</h3>
    {deliveries?.length === 0 && <p class="quiet">{none[by]}</p>}
    <ul>
      {deliveries?.map((delivery) => (
        <li key={delivery.id}>
          <button
            type="button"
            class="selectable"
            onClick={() => navigate('deliveries', { id: delivery.id })}
          >
            <DeliveryStatus {...delivery} />
            <span class="name truncated">{delivery.eventName}</span>
            <span class="error">
              <Breakable text={describe(delivery, by)} />
            </span>
            <Time at={delivery.createdAt} to="second" />
          </button>
        </li>
      ))}
    </ul>
  </section>
)
