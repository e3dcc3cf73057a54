import type { Delivery } from '../api/types.ts'
import { DeliveryStatus } from '../parts/status.tsx'
import { Time } from '../parts/time.tsx'
import { navigate } from '../state/route.ts'
import { findSubscription, shortenUrl } from '../views/choices.ts'

type DeliveryLinksProps = { readonly deliveries: readonly Delivery[] | undefined }

/** Deliveries as links. */
export const DeliveryLinks = ({ deliveries }: DeliveryLinksProps) => (
  <section class="attempts" aria-label="Deliveries">
    <h3>Deliveries</h3>
    {deliveries?.length === 0 && <p class="hint">No subscription matched when this event was published.</p>}
    <ul>
      {deliveries?.map((delivery) => (
        <li key={delivery.id}>
          <button type="button" onClick={() => navigate('deliveries', { id: delivery.id })}>
            <DeliveryStatus {...delivery} />
            <span class="name">{delivery.eventName}</span>
            <span class="error">{shortenUrl(findSubscription(delivery.subscriptionId)?.url ?? '')}</span>
            <Time at={delivery.createdAt} />
          </button>
        </li>
      ))}
    </ul>
  </section>
)
