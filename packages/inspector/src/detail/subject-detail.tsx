import type { Timeline } from '@wabakit/server/control-types'
import type { ComponentChildren } from 'preact'
import type { LiveMessage } from '../api/live.ts'
import { sendOwn } from '../api/organization.ts'
import { Breakable } from '../components/breakable.tsx'
import { IconButton } from '../components/button.tsx'
import { Panel } from '../components/panel.tsx'
import { LoadProblem } from '../components/status.tsx'
import { useRecord } from '../components/use-record.ts'
import { getParam, isTrace, setParams } from '../state/route.ts'
import { isCompact } from '../state/viewport.ts'
import { TimelineView } from '../timeline/timeline-view.tsx'
import { DeliveryBody, useDelivery } from './delivery-body.tsx'
import { DeliveryMenu } from './delivery-menu.tsx'

type SubjectDetailProps = {
  readonly kind: 'call' | 'group'
  readonly id: string
  readonly title: (timeline: Timeline | undefined) => ComponentChildren
  readonly badge?: (timeline: Timeline) => ComponentChildren
  readonly facts: (timeline: Timeline) => ComponentChildren
}

const SelectedDelivery = ({ id }: { readonly id: string }) => {
  const { known, problem } = useDelivery(id)
  return (
    <section class="selected-delivery" aria-label="Selected delivery">
      <LoadProblem text={problem} />
      {known !== undefined && (
        <>
          <header>
            <h3>
              <Breakable text={known.delivery.eventName} />
            </h3>
            {!isTrace && <DeliveryMenu delivery={known.delivery} attempt={known.attempt} />}
            <IconButton
              icon="close"
              label="Close the delivery"
              onClick={() => setParams({ delivery: none, attempt: undefined })}
            />
          </header>
          <DeliveryBody {...known} />
        </>
      )}
    </section>
  )
}

/** The value of the parameter `delivery` that closes the delivery that would be selected initially. */
const none = 'none'

/** Finds the delivery to select initially: the last one that has failed and has not been delivered since. */
const findNotable = ({ deliveries }: Timeline): string | undefined =>
  deliveries.findLast(({ status, failures }) => failures > 0 && status !== 'delivered')?.id

const isAbout = (message: LiveMessage, timeline: Timeline | undefined): boolean => {
  if (message.type === 'event') return message.event.subject === timeline?.subject
  const { eventId } = message.attempt
  return timeline?.entries.some((entry) => entry.kind === 'event' && entry.event.id === eventId) ?? false
}

/** The history of a call or group as a timeline, and the details of one delivery. */
export const SubjectDetail = ({ kind, id, title, badge, facts }: SubjectDetailProps) => {
  const { value: timeline, problem } = useRecord({
    load: () => sendOwn<Timeline>(['timeline'], { query: { [kind]: id } }),
    isAbout,
  })
  const chosen = getParam('delivery')
  // On a narrow page, a delivery covers part of the timeline, so none is open until the user selects one.
  const deliveryId = chosen === none ? '' : chosen || (timeline && !isCompact.value && findNotable(timeline))
  const attempt = getParam('attempt')
  return (
    <Panel
      label={`Timeline of the ${kind}`}
      title={title(timeline)}
      badge={timeline && badge?.(timeline)}
      problem={problem}
      isWide
    >
      {timeline !== undefined && (
        <div class={`beside ${deliveryId ? 'has-delivery' : ''}`}>
          <div class="subject-body">
            {facts(timeline)}
            <TimelineView
              timeline={timeline}
              selected={
                deliveryId ? { deliveryId, attempt: attempt === '' ? undefined : Number(attempt) } : undefined
              }
              onSelect={({ deliveryId: delivery, attempt: number }) =>
                setParams({ delivery, attempt: number === undefined ? undefined : String(number) })
              }
            />
          </div>
          {deliveryId && <SelectedDelivery key={deliveryId} id={deliveryId} />}
        </div>
      )}
    </Panel>
  )
}
