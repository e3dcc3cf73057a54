import type { EventRecord, Store } from '@wabakit/core'
import { runCycle } from './backlog.ts'

const page = { organizationId: 'acme', limit: 100 }
let told = 0

/** An event for the first subscription, in a lane of its own. */
export const nextEvent = (): EventRecord => {
  told += 1
  return {
    id: `live_${told}`,
    organizationId: 'acme',
    name: 'GROUP_PARTICIPANT_JOINED',
    subject: `group:live_${told}`,
    channel: 'WHATSAPP',
    digits: '15550000001',
    payload: JSON.stringify({ event: 'GROUP_PARTICIPANT_JOINED', groupName: 'x'.repeat(200) }),
    waitsFor: null,
    occurredAt: Date.now(),
  }
}

/** What is asked of a store that holds much; each gives nanoseconds for one time. */
export const operations: Readonly<Record<string, (store: Store) => Promise<number>>> = {
  'claim and settle one of 64': async (store) => {
    const { nanoseconds, deliveries } = await runCycle(store)
    return nanoseconds / deliveries
  },
  'tell one of 64 events': async (store) => {
    const start = process.hrtime.bigint()
    await Promise.all(Array.from({ length: 64 }, () => store.addEvent(nextEvent())))
    return Number(process.hrtime.bigint() - start) / 64
  },
  'list the 100 newest events': (store) => timed(() => store.listEvents({ ...page, order: 'newest_first' })),
  'list the 100 oldest events': (store) => timed(() => store.listEvents(page)),
  'list the events of a group': (store) => timed(() => store.listEvents({ ...page, subject: 'group:5000' })),
  'list the 100 newest deliveries': (store) =>
    timed(() => store.listDeliveries({ ...page, order: 'newest_first' })),
  'list the 100 newest of a subscription': (store) =>
    timed(() => store.listDeliveries({ ...page, subscriptionId: 'sub_1', order: 'newest_first' })),
  'list what is exhausted': (store) =>
    timed(() => store.listDeliveries({ ...page, statuses: ['exhausted'], order: 'newest_first' })),
}

const timed = async (work: () => Promise<unknown>): Promise<number> => {
  const start = process.hrtime.bigint()
  await work()
  return Number(process.hrtime.bigint() - start)
}
