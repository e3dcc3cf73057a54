import type { Attempt, Delivery } from '@wabakit/server/control-types'
import { sendOwn } from '../api/organization.ts'
import { useRecord } from '../parts/use-record.ts'
import { getParam } from '../state/route.ts'

/** A delivery, its attempts, and the attempt that the address names (or else the last). */
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

/** Loads a delivery whenever it may have changed. */
export const useDelivery = (id: string, version: number) => {
  const { value, problem } = useRecord(() => load(id), [id, version])
  const known: KnownDelivery | undefined = value && {
    ...value,
    attempt:
      value.attempts.find(({ number }) => String(number) === getParam('attempt')) ?? value.attempts.at(-1),
  }
  return { known, problem }
}
