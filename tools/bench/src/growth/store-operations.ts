import type { EventRecord, Store } from '@wabakit/core'
import { buildEvent } from '../../../../packages/core/test/store-cases/records.ts'
import { runCycle } from './backlog.ts'

const page = { organizationId: 'acme', limit: 100 }
const newest = { ...page, order: 'newest_first' } as const
/** A filter that matches nothing. `maxExamined` is the limit of the control API. */
const rare = { text: 'nobody', maxExamined: 20_000 }
let published = 0

/** Creates an event for the first subscription, in a new lane. */
export const createEvent = (): EventRecord => {
  published += 1
  return buildEvent({
    id: `live_${published}`,
    name: 'GROUP_PARTICIPANT_JOINED',
    subject: `group:live_${published}`,
    digits: '15550000001',
    payload: JSON.stringify({ event: 'GROUP_PARTICIPANT_JOINED', groupName: 'x'.repeat(200) }),
    occurredAt: Date.now(),
  })
}

const timeList = (list: (store: Store) => Promise<unknown>) => async (store: Store) => {
  const start = process.hrtime.bigint()
  await list(store)
  return Number(process.hrtime.bigint() - start)
}

/** Operations of a store. Each one returns its duration in nanoseconds. */
export const operations: Readonly<Record<string, (store: Store) => Promise<number>>> = {
  'read and settle one of 64': async (store) => {
    const { nanoseconds, deliveries } = await runCycle(store)
    return nanoseconds / deliveries
  },
  'publish one of 64 events': async (store) => {
    const start = process.hrtime.bigint()
    await Promise.all(Array.from({ length: 64 }, () => store.addEvent(createEvent())))
    return Number(process.hrtime.bigint() - start) / 64
  },
  'list the 100 newest events': timeList((store) => store.listEvents(newest)),
  'list the 100 oldest events': timeList((store) => store.listEvents(page)),
  'list the events of a group': timeList((store) => store.listEvents({ ...page, subject: 'group:5000' })),
  'list the 100 newest deliveries': timeList((store) => store.listDeliveries(newest)),
  'list the 100 newest deliveries of a subscription': timeList((store) =>
    store.listDeliveries({ ...newest, subscriptionId: 'sub_1' }),
  ),
  'list exhausted deliveries': timeList((store) =>
    store.listDeliveries({ ...newest, statuses: ['exhausted'] }),
  ),
  'look for a text among the newest events': timeList((store) => store.listEvents({ ...newest, ...rare })),
  'look for a text among the newest deliveries': timeList((store) =>
    store.listDeliveries({ ...newest, ...rare }),
  ),
}
