import type { Attempt, Delivery } from '@wabakit/server/control-types'
import type { LiveMessage } from '../api/live.ts'
import { sendOwn } from '../api/organization.ts'
import { useRecord } from '../parts/use-record.ts'
import { getParam } from '../state/route.ts'

/** A delivery, its attempts, and the attempt selected by the page's URL (by default, the last). */
export type KnownDelivery = {
  readonly delivery: Delivery
  readonly attempts: readonly Attempt[]
  readonly attempt: Attempt | undefined
}

const load = async (id: string): Promise<Pick<KnownDelivery, 'delivery' | 'attempts'>> => {
  const path = `/deliveries/${encodeURIComponent(id)}`
  const [delivery, { items }] = await Promise.all([
    sendOwn<Delivery>(path),
    sendOwn<{ items: Attempt[] }>(`${path}/attempts`),
  ])
  return { delivery, attempts: items }
}

const isAbout = ({ delivery }: Pick<KnownDelivery, 'delivery'>, message: LiveMessage): boolean => {
  const { id, wait } = delivery
  const blockedBy = wait && 'deliveryId' in wait ? wait.deliveryId : undefined
  return message.type === 'attempt' && [id, blockedBy].includes(message.attempt.deliveryId)
}

/** Loads a delivery, and reloads it whenever it may have changed. */
export const useDelivery = (id: string) => {
  const { value, problem } = useRecord(
    { load: () => load(id), isAbout: (message, known) => known !== undefined && isAbout(known, message) },
    [id],
  )
  const known: KnownDelivery | undefined = value && {
    ...value,
    attempt:
      value.attempts.find(({ number }) => String(number) === getParam('attempt')) ?? value.attempts.at(-1),
  }
  return { known, problem }
}
