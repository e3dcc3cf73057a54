import type { EventRecord, Store } from '@wabakit/core'
import { runCycle } from './backlog.ts'

const page = { organizationId: 'acme', limit: 100 }
/** A filter without matches. It examines as many records as one page of the control API may examine. */
const rare = { text: 'nobody', maxExamined: 20_000 }
let published = 0

/** Creates an event for the first subscription, in its own lane. */
export const createEvent = (): EventRecord => {
  published += 1
  return {
    id: `live_${published}`,
    organizationId: 'acme',
    name: 'GROUP_PARTICIPANT_JOINED',
    subject: `group:live_${published}`,
    channel: 'WHATSAPP',
    digits: '15550000001',
    payload: JSON.stringify({ event: 'GROUP_PARTICIPANT_JOINED', groupName: 'x'.repeat(200) }),
    waitsFor: null,
    traceparent: null,
    forged: false,
    occurredAt: Date.now(),
  }
}

/** Store operations. Each returns its duration in nanoseconds. */
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
  'list the 100 newest events': (store) =>
    measureTime(() => store.listEvents({ ...page, order: 'newest_first' })),
  'list the 100 oldest events': (store) => measureTime(() => store.listEvents(page)),
  'list the events of a group': (store) =>
    measureTime(() => store.listEvents({ ...page, subject: 'group:5000' })),
  'list the 100 newest deliveries': (store) =>
    measureTime(() => store.listDeliveries({ ...page, order: 'newest_first' })),
  'list the 100 newest deliveries of a subscription': (store) =>
    measureTime(() => store.listDeliveries({ ...page, subscriptionId: 'sub_1', order: 'newest_first' })),
  'list exhausted deliveries': (store) =>
    measureTime(() => store.listDeliveries({ ...page, statuses: ['exhausted'], order: 'newest_first' })),
  'look for a text among the newest events': (store) =>
    measureTime(() => store.listEvents({ ...page, ...rare, order: 'newest_first' })),
  'look for a text among the newest deliveries': (store) =>
    measureTime(() => store.listDeliveries({ ...page, ...rare, order: 'newest_first' })),
}

const measureTime = async (work: () => Promise<unknown>): Promise<number> => {
  const start = process.hrtime.bigint()
  await work()
  return Number(process.hrtime.bigint() - start)
}
