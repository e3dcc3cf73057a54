import { expect, onTestFinished, test, vi } from 'vitest'
import { createReferenceServer } from '../create-reference-server.ts'
import { memoryStore } from '../memory-store/memory-store.ts'
import type { Store } from '../store.ts'

const wabaNumber = '+15550100001'
const damaged = new Error('missing chunk number 0')

/** A server on a store that cannot read some deliveries, and its endpoints. Time is virtual. */
const createServer = async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] })
  onTestFinished(() => void vi.useRealTimers())
  const base = memoryStore()
  const sent: { readonly url: string; readonly body: string }[] = []
  const errors: unknown[] = []
  const control = { isDamaged: (_: { subject: string; url: string }) => false, loads: 0 }
  const store: Store = {
    ...base,
    loadDeliveries: async (keys) => {
      control.loads++
      const loaded = await base.loadDeliveries(keys)
      const isDamaged = loaded.some(
        (each) => each && control.isDamaged({ subject: each.event.subject, url: each.subscription.url }),
      )
      if (isDamaged) throw damaged
      return loaded
    },
  }
  const server = createReferenceServer({
    store,
    clock: { now: () => Date.now() },
    organizations: [{ id: 'acme', integrations: [{ wabaNumber }] }],
    onError: (error) => errors.push(error),
    fetch: async (url, { body }) => {
      sent.push({ url, body })
      return new Response(null, { status: 200 })
    },
  })
  await server.ready()
  onTestFinished(() => server.dispatcher.stop({ graceMs: 0 }))
  const subscribe = (name: string) =>
    server.subscriptions.create('acme', {
      channel: 'WHATSAPP',
      number: wabaNumber,
      url: `https://${name}.example/`,
    })
  const create = () => server.groups.create('acme', { wabaNumber, subject: 'Launch' })
  const countSent = (name: string): number => sent.filter(({ url }) => url.includes(`//${name}.`)).length
  return { ...server, control, errors, sent, subscribe, create, countSent }
}

test('a delivery that cannot be loaded stops no other, and is sent once it can be loaded', async () => {
  const { dispatcher, subscribe, create, control, errors, countSent } = await createServer()
  for (const name of ['a', 'b', 'c']) await subscribe(name)
  const { groupId } = await create()
  control.isDamaged = ({ subject, url }) => subject === `group:${groupId}` && url.includes('//a.')
  for (let count = 0; count < 20; count++) await create()
  dispatcher.start()
  await vi.advanceTimersByTimeAsync(200)
  expect([countSent('a'), countSent('b'), countSent('c')]).toEqual([20, 21, 21])
  await vi.advanceTimersByTimeAsync(60_000)
  expect(dispatcher.findProblems()).toMatchObject({ unreadableDeliveries: 1, cannotLoad: false })
  expect(errors[0]).toMatchObject({
    message: expect.stringMatching(/dlv_.*could not be loaded/),
    cause: damaged,
  })
  // 0.25, 0.5, 1, 2, 4, 8, 16 and 32 seconds.
  expect(errors).toHaveLength(8)

  control.isDamaged = () => false
  await vi.advanceTimersByTimeAsync(60_000)
  expect(countSent('a')).toBe(21)
  expect(dispatcher.findProblems().unreadableDeliveries).toBe(0)
})

test('an endpoint whose deliveries can all not be loaded slows down no other, and is tried less and less often', async () => {
  const { dispatcher, subscribe, create, control, countSent } = await createServer()
  for (const name of ['a', 'b']) await subscribe(name)
  control.isDamaged = ({ url }) => url.includes('//a.')
  for (let count = 0; count < 100; count++) await create()
  dispatcher.start()
  await vi.advanceTimersByTimeAsync(200)
  expect([countSent('a'), countSent('b')]).toEqual([0, 100])
  await vi.advanceTimersByTimeAsync(600_000)
  expect(dispatcher.findProblems().unreadableDeliveries).toBe(100)
  control.loads = 0
  await vi.advanceTimersByTimeAsync(600_000)
  // Each once per minute.
  expect(control.loads).toBeLessThanOrEqual(1_100)
  control.isDamaged = () => false
  await vi.advanceTimersByTimeAsync(60_000)
  expect(countSent('a')).toBe(100)
})

test('a dispatcher stops although a delivery cannot be loaded, and sends it when it is started again', async () => {
  const { dispatcher, subscribe, create, control, sent } = await createServer()
  await subscribe('a')
  await create()
  control.isDamaged = () => true
  dispatcher.start()
  await vi.advanceTimersByTimeAsync(10_000)
  await dispatcher.stop()
  control.isDamaged = () => false
  dispatcher.start()
  await vi.advanceTimersByTimeAsync(1_000)
  expect(sent).toHaveLength(1)
})
