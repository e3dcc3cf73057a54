import { expect, onTestFinished, test, vi } from 'vitest'
import { createReferenceServer } from '../create-reference-server.ts'
import { StorageUnavailableError } from '../errors/storage-errors.ts'
import { memoryStore } from '../memory-store/memory-store.ts'
import type { Settlement, Store } from '../store.ts'

const wabaNumber = '+15550100001'

/** A server on a store that refuses the results of some subscriptions, and its endpoints. Time is virtual. */
const createServer = async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] })
  onTestFinished(() => void vi.useRealTimers())
  const base = memoryStore()
  const sent: { readonly url: string; readonly body: string }[] = []
  const errors: unknown[] = []
  const control = {
    refuses: (_: Settlement): Error | undefined => undefined,
    status: 200,
    /** The times at which the store refused results, in seconds. */
    refusedAt: [] as number[],
  }
  const store: Store = {
    ...base,
    settleDeliveries: async (settlements) => {
      const refusal = settlements.map((each) => control.refuses(each)).find((each) => each !== undefined)
      if (refusal === undefined) return base.settleDeliveries(settlements)
      control.refusedAt.push(Math.round((Date.now() - startedAt) / 1_000))
      throw refusal
    },
  }
  const server = createReferenceServer({
    store,
    clock: { now: () => Date.now() },
    organizations: [{ id: 'acme', integrations: [{ wabaNumber }] }],
    onError: (error) => errors.push(error),
    fetch: async (url, { body }) => {
      sent.push({ url, body })
      return new Response(null, { status: control.status })
    },
  })
  await server.ready()
  const startedAt = Date.now()
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

const refusal = new Error('audit trigger failed')

test('a webhook is sent once while its result cannot be stored, which is tried after growing pauses', async () => {
  const { dispatcher, subscribe, create, control, errors, sent, deliveries } = await createServer()
  await subscribe('a')
  control.refuses = () => refusal
  dispatcher.start()
  await create()
  await vi.advanceTimersByTimeAsync(900)
  expect(dispatcher.findProblems().unstoredResults).toBe(0)

  await vi.advanceTimersByTimeAsync(600_000)
  expect(sent).toHaveLength(1)
  expect(control.refusedAt.slice(0, 8)).toEqual([0, 1, 3, 7, 15, 31, 63, 123])
  expect(dispatcher.findProblems().unstoredResults).toBe(1)
  expect(errors[0]).toMatchObject({ message: expect.stringContaining('Check the triggers'), cause: refusal })

  control.refuses = () => undefined
  await vi.advanceTimersByTimeAsync(60_000)
  expect(dispatcher.findProblems().unstoredResults).toBe(0)
  expect(sent).toHaveLength(1)
  expect((await deliveries.list('acme')).items).toMatchObject([{ status: 'delivered', attempts: 1 }])
})

test('an endpoint whose results cannot be stored gets each webhook once, and one more after each pause', async () => {
  const { dispatcher, subscribe, create, control, sent } = await createServer()
  await subscribe('a')
  dispatcher.start()
  await create()
  await vi.advanceTimersByTimeAsync(1_000)
  expect(sent.splice(0)).toHaveLength(1)

  control.refuses = () => refusal
  await create()
  await vi.advanceTimersByTimeAsync(100)
  for (let count = 0; count < 20; count++) await create()
  await vi.advanceTimersByTimeAsync(800)
  expect(sent).toHaveLength(1)
  await vi.advanceTimersByTimeAsync(600_000)
  expect(sent).toHaveLength(8)

  control.refuses = () => undefined
  await vi.advanceTimersByTimeAsync(60_000)
  expect(new Set(sent.map(({ body }) => body)).size).toBe(21)
  expect(sent).toHaveLength(21)
})

test.each([200, 500])('a result that can never be stored stops no other webhook (%i)', async (status) => {
  const { dispatcher, subscribe, create, control, sent } = await createServer()
  control.status = status
  const { id } = await subscribe('a')
  dispatcher.start()
  const { groupId } = await create()
  control.refuses = ({ delivery }) => (delivery.subject === `group:${groupId}` ? refusal : undefined)
  await vi.advanceTimersByTimeAsync(100)
  for (let count = 0; count < 10; count++) await create()
  await vi.advanceTimersByTimeAsync(60_000)
  expect(new Set(sent.map(({ body }) => body)).size).toBe(11)
  expect(id).toMatch(/^sub_/)
})

test('results of other endpoints are stored although they share a transaction with one that is refused', async () => {
  const { dispatcher, subscribe, create, control, countSent } = await createServer()
  const { id } = await subscribe('a')
  for (const name of ['b', 'c']) await subscribe(name)
  control.refuses = ({ delivery }) => (delivery.subscriptionId === id ? refusal : undefined)
  dispatcher.start()
  for (let count = 0; count < 20; count++) await create()
  await vi.advanceTimersByTimeAsync(5_000)
  expect([countSent('b'), countSent('c')]).toEqual([20, 20])
  expect(countSent('a')).toBeLessThan(5)
})

test('while the store is unavailable, results are written again after short pauses', async () => {
  const { dispatcher, subscribe, create, control, sent } = await createServer()
  await subscribe('a')
  control.refuses = () => new StorageUnavailableError('a table is locked')
  dispatcher.start()
  await create()
  await vi.advanceTimersByTimeAsync(300_000)
  expect(dispatcher.findProblems().unstoredResults).toBe(1)
  control.refuses = () => undefined
  await vi.advanceTimersByTimeAsync(5_000)
  expect(dispatcher.findProblems().unstoredResults).toBe(0)
  expect(sent).toHaveLength(1)
})

test('runDue rejects if a result cannot be stored, and delivers the webhook the next time', async () => {
  const { dispatcher, subscribe, create, control, sent } = await createServer()
  await subscribe('a')
  await create()
  control.refuses = () => refusal
  await expect(dispatcher.runDue()).rejects.toBe(refusal)
  control.refuses = () => undefined
  await dispatcher.runDue()
  expect(sent).toHaveLength(2)
})

test('a dispatcher stops at once although a result cannot be stored, and sends its webhook when it is started again', async () => {
  const { dispatcher, subscribe, create, control, sent } = await createServer()
  await subscribe('a')
  control.refuses = () => refusal
  dispatcher.start()
  await create()
  await vi.advanceTimersByTimeAsync(10_000)
  const { promise: hasStopped, resolve } = Promise.withResolvers<true>()
  void dispatcher.stop().then(() => resolve(true))
  expect(await hasStopped).toBe(true)
  expect(sent).toHaveLength(1)

  control.refuses = () => undefined
  dispatcher.start()
  await vi.advanceTimersByTimeAsync(1_000)
  expect(sent).toHaveLength(2)
})
