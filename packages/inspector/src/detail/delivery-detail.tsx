import type { Delivery } from '@wabakit/server/control-types'
import { reveal } from '../format/reveal.ts'
import type { DetailProps } from '../list/list-view.tsx'
import { Panel } from '../parts/panel.tsx'
import { DeliveryStatus } from '../parts/status.tsx'
import { AttemptList } from './attempt-list.tsx'
import { AttemptView } from './attempt-view.tsx'
import { DeliveryFacts } from './delivery-facts.tsx'
import { DeliveryMenu } from './delivery-menu.tsx'
import { type KnownDelivery, useDelivery } from './use-delivery.ts'
import { Verdict } from './verdict.tsx'

/** A delivery: an explanation of its state, its attempts, and one attempt in full. */
export const DeliveryBody = ({ delivery, attempts, attempt }: KnownDelivery) => (
  <>
    <Verdict delivery={delivery} attempt={attempt} />
    <DeliveryFacts delivery={delivery} />
    {attempt !== undefined && (
      <>
        <AttemptList attempts={attempts} selected={attempt} />
        <AttemptView delivery={delivery} attempts={attempts} attempt={attempt} />
      </>
    )}
  </>
)

export const DeliveryDetail = ({ id, item }: DetailProps<Delivery>) => {
  const { known, problem } = useDelivery(id)
  const delivery = known?.delivery ?? item
  return (
    <Panel
      label="Delivery"
      problem={problem}
      title={reveal(delivery?.eventName ?? id)}
      badge={delivery && <DeliveryStatus {...delivery} />}
      actions={delivery !== undefined && <DeliveryMenu delivery={delivery} attempt={known?.attempt} />}
    >
      {known !== undefined && <DeliveryBody {...known} />}
    </Panel>
  )
}
