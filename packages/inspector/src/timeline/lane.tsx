import { useSignal } from '@preact/signals'
import { DeliveryRow, type DeliveryRowProps, type TimelineDelivery } from './delivery-row.tsx'

/** Maximum number of deliveries that a lane shows at first. */
const maxShown = 12

const healthy: readonly string[] = ['delivered', 'attempting', 'pending', 'waiting']

/** Checks whether a delivery has a problem of its own. One that waits behind a failing delivery has none. */
const isNotable = ({ status, failures, marks }: TimelineDelivery): boolean =>
  !healthy.includes(status) || failures > 0 || marks.length > 0

/** Chooses the deliveries to show: first those with a problem and the selected one, then the newest, in their order. */
const choose = (
  deliveries: readonly TimelineDelivery[],
  selectedId: string | undefined,
): TimelineDelivery[] => {
  const isFirst = (delivery: TimelineDelivery): boolean => isNotable(delivery) || delivery.id === selectedId
  const ranked = [
    ...deliveries.filter(isFirst).toReversed(),
    ...deliveries.filter((each) => !isFirst(each)).toReversed(),
  ]
  const shown = new Set(ranked.slice(0, maxShown))
  return deliveries.filter((each) => shown.has(each) || each.id === selectedId)
}

type LaneProps = Omit<DeliveryRowProps, 'delivery'> & {
  readonly url: string
  readonly deliveries: readonly TimelineDelivery[]
}

/** The deliveries to one endpoint. A group with many members has hundreds, so the lane shows only some at first. */
export const Lane = ({ url, deliveries, ...row }: LaneProps) => {
  const isOpen = useSignal(false)
  const shown = isOpen.value ? deliveries : choose(deliveries, row.selected?.deliveryId)
  const failed = deliveries.filter(isNotable).length
  return (
    <section class="lane" aria-label={`Endpoint ${url}`}>
      <h4>
        {url}
        {deliveries.length > maxShown && (
          <>
            {' '}
            · {shown.length} of {deliveries.length} deliveries, {failed} with a problem{' '}
            <button
              type="button"
              class="link"
              aria-expanded={isOpen.value}
              onClick={() => (isOpen.value = !isOpen.value)}
            >
              {isOpen.value ? 'Show fewer' : 'Show all'}
            </button>
          </>
        )}
      </h4>
      {shown.map((delivery) => (
        <DeliveryRow key={delivery.id} delivery={delivery} {...row} />
      ))}
    </section>
  )
}
