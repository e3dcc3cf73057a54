import { expect, test } from 'vitest'
import { buildEvent, buildOrganization, buildSubscription, start } from '../../test/store-cases/records.ts'
import { createReferenceServer } from '../create-reference-server.ts'
import { memoryStore } from '../memory-store/memory-store.ts'
import {
  type ChangePage,
  changePages,
  createCancel,
  createResend,
  createResendCount,
} from './change-in-parts.ts'

const selection = { organizationId: 'acme' }

/** A store with 1,200 pending deliveries. */
const fill = async () => {
  const store = memoryStore()
  await store.saveOrganization(buildOrganization())
  await store.saveSubscription(buildSubscription())
  for (let index = 0; index < 1_200; index++) await store.addEvent(buildEvent({ subject: `s${index % 7}` }))
  return store
}

/** Makes a change in parts of two pages. Returns the number of deliveries in each part. */
const changeParts = async (change: ChangePage): Promise<number[]> => {
  const counts: number[] = []
  for (let cursor: string | undefined; ; ) {
    const part = await changePages(change, { cursor, pages: 2 })
    counts.push(part.count)
    cursor = part.nextCursor
    if (cursor === undefined) return counts
  }
}

test('a part has a limited number of pages, and the parts change each delivery exactly once', async () => {
  const store = await fill()
  const now = start + 1
  const cancel = (dryRun: boolean) =>
    changeParts(createCancel(store, { selection, now, dryRun, isAttempting: () => false }))
  const resend = createResend(store, { selection, now, webhookIdSuffix: null })

  expect(await cancel(true)).toEqual([1_000, 200])
  expect(await cancel(false)).toEqual([1_000, 200])
  expect(await cancel(false)).toEqual([0])
  expect(await changeParts(createResendCount(store, selection))).toEqual([1_000, 200])
  expect(await changeParts(resend)).toEqual([1_000, 200])
  expect(await changeParts(createResendCount(store, selection))).toEqual([0, 0])
})

test('a count finds what a change then changes, in each subscription: a delivery that was only deferred, too', async () => {
  let now = start
  let status = 409
  const server = createReferenceServer({
    organizations: [{ id: 'acme', integrations: [{ wabaNumber: '+15550100001' }] }],
    clock: { now: () => now },
    fetch: async () => new Response(null, { status, headers: { 'retry-after': '3600' } }),
  })
  await server.ready()
  const subscription = {
    channel: 'WHATSAPP',
    number: '+15550100001',
    url: 'https://receiver.example/',
  } as const
  for (const enabled of [true, false, true])
    await server.subscriptions.create('acme', { ...subscription, enabled })
  await server.groups.create('acme', { wabaNumber: '+15550100001', subject: 'Deferred' })
  await server.dispatcher.runDue()
  now += 1
  status = 200
  const [delivery] = (await server.deliveries.list('acme')).items
  expect(delivery).toMatchObject({ status: 'pending', failures: 0, deferrals: 1 })
  const counted = await server.deliveries.resend('acme', { all: true }, { dryRun: true })
  const changed = await server.deliveries.resend('acme', { all: true })
  expect([counted, changed]).toEqual([2, 2])
})
