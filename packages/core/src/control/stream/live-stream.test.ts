import { readMessages } from '@wabakit/wire'
import { expect, onTestFinished, test, vi } from 'vitest'
import { type AttemptReported, createReferenceServer, memoryStore } from '../../index.ts'
import { createLiveStream } from './live-stream.ts'

test('a stream that was closed leaves no listener, however many there were', async () => {
  const store = memoryStore()
  const service = createReferenceServer({ store })
  const listeners = { attempts: 0, events: 0, queueChanges: 0 }
  const count = (name: keyof typeof listeners, stop: () => void) => {
    listeners[name]++
    return () => {
      listeners[name]--
      stop()
    }
  }
  const live = createLiveStream({
    service: {
      events: service.events,
      on: (name, listener) => count('events', service.on(name, listener)),
      dispatcher: {
        onAttempt: (listener) => count('attempts', service.dispatcher.onAttempt(listener)),
      },
    },
    store: { listen: (listener) => count('queueChanges', store.listen(listener)) },
    onError: (error) => expect.fail(String(error)),
  })
  for (let cycle = 0; cycle < 20; cycle++) {
    const stream = await live.open({ organizationId: 'acme', after: undefined })
    expect(listeners).toEqual({ attempts: 1, events: 1, queueChanges: 1 })
    const canceled = stream.cancel()
    live.wake()
    await canceled
    await expect.poll(() => listeners).toEqual({ attempts: 0, events: 0, queueChanges: 0 })
  }
})

const wabaNumber = '+15550100001'

/** Opens a live stream of `acme`, to which a test emits the reports of attempts itself. */
const openStream = async () => {
  const store = memoryStore()
  const service = createReferenceServer({
    store,
    organizations: [{ id: 'acme', integrations: [{ wabaNumber }] }],
    fetch: async () => new Response(),
  })
  await service.ready()
  const url = 'https://receiver.example/'
  await service.subscriptions.create('acme', { channel: 'WHATSAPP', number: wabaNumber, url })
  const reports: AttemptReported[] = []
  service.dispatcher.onAttempt((report) => reports.push(report))
  await service.groups.create('acme', { wabaNumber, subject: 'Team' })
  await service.dispatcher.runDue()
  const [report] = reports
  if (report === undefined) return expect.unreachable()
  let emit = (_: AttemptReported): void => {}
  const dispatcher = {
    onAttempt: (listener: typeof emit) => {
      emit = listener
      return () => {}
    },
  }
  let runOnRead = (): void => {}
  const list: typeof service.events.list = async (...query) => {
    const page = await service.events.list(...query)
    runOnRead()
    runOnRead = () => {}
    return page
  }
  const live = createLiveStream({
    service: { ...service, events: { ...service.events, list }, dispatcher },
    store,
    onError: (error) => expect.fail(String(error)),
  })
  onTestFinished(live.close)
  const stream = await live.open({ organizationId: 'acme', after: undefined })
  /** Emits an attempt of a delivery. */
  const attempt = (deliveryId: string, organizationId = 'acme'): void => {
    const { attempted } = report
    const delivery = { ...attempted.delivery, id: deliveryId }
    emit({ ...report, attempted: { ...attempted, delivery, event: { ...attempted.event, organizationId } } })
  }
  /** Reads the ids of attempted deliveries up to this one. */
  const readUpTo = async (last: string): Promise<string[]> => {
    const ids: string[] = []
    for await (const { name, data } of readMessages(stream)) {
      if (name === 'attempt') ids.push(JSON.parse(data).deliveryId)
      if (ids.at(-1) === last) live.close()
    }
    return ids
  }
  /** Calls a function once, after the next read of events. */
  const onRead = (run: () => void): void => {
    runOnRead = run
  }
  return { attempt, readUpTo, stream, onRead }
}

test('a client that reads slowly gets the last 1,000 attempts, so that it does not fill the memory', async () => {
  const { attempt, readUpTo } = await openStream()
  for (let number = 1; number <= 1_500; number++) attempt(`dlv_${number}`)
  const ids = await readUpTo('dlv_1500')

  expect([ids.length, ids[0]]).toEqual([1_000, 'dlv_501'])
})

test('an attempt waits for its event, even if older attempts were dropped while events were read', async () => {
  const { attempt, stream, onRead } = await openStream()
  for (let number = 1; number <= 1_000; number++) attempt(`dlv_${number}`)
  // Fills the buffer with attempts of an event that this read does not have.
  onRead(() => {
    for (let number = 1; number <= 600; number++) attempt(`late_${number}`)
  })
  const reads: string[] = []
  for await (const { data } of readMessages(stream)) {
    reads.push(JSON.parse(data).deliveryId)
    if (reads.length === 1_000) break
  }
  expect(reads.filter((id) => id.startsWith('late'))).toEqual([])
})

test("a stream has no attempt of another organization's event", async () => {
  const { attempt, readUpTo } = await openStream()
  attempt('dlv_1')
  attempt('dlv_2', 'other')
  attempt('dlv_3')

  expect(await readUpTo('dlv_3')).toEqual(['dlv_1', 'dlv_3'])
})

test('an idle stream sends a comment every 15 seconds, so that proxies keep its connection', async () => {
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
  const { stream } = await openStream()
  const chunks: [seconds: number, text: string][] = []
  const startedAt = performance.now()
  const write = (chunk: Uint8Array): void => {
    chunks.push([Math.floor((performance.now() - startedAt) / 1_000), new TextDecoder().decode(chunk)])
  }
  void stream.pipeTo(new WritableStream({ write }))
  await vi.advanceTimersByTimeAsync(40_000)

  const comments = chunks.filter(([, text]) => text.startsWith(':'))
  expect(comments.length).toBe(2)
  for (const [index, [seconds]] of comments.entries()) {
    expect(seconds).toBeGreaterThanOrEqual(15 * (index + 1))
    expect(seconds).toBeLessThan(15 * (index + 1) + 4)
  }
})

test('a stream that catches up waits for no poll, not even when it is closed', async () => {
  const store = memoryStore()
  const service = createReferenceServer({
    store,
    organizations: [{ id: 'acme', integrations: [{ wabaNumber }] }],
  })
  await service.ready()
  const names = Array.from({ length: 250 }, (_, index) => `group:g${index}`)
  for (const subject of names) {
    const event = { name: 'GROUP_CREATED', subject, channel: 'WHATSAPP', number: wabaNumber } as const
    await service.events.publish('acme', { ...event, payload: '{}' })
  }
  const after = (ms: number, run: () => void): (() => void) => {
    // A poll is never due.
    if (ms < 1_000) setImmediate(run)
    return () => {}
  }
  const live = createLiveStream({ service, store, after, onError: (error) => expect.fail(String(error)) })
  const subjects: string[] = []
  for await (const { data } of readMessages(await live.open({ organizationId: 'acme', after: '' }))) {
    subjects.push(JSON.parse(data).subject)
    if (subjects.length === names.length) live.close()
  }
  expect(subjects).toEqual(names)
})

test('a stream ends as soon as it is closed, and each of its timers runs or is canceled', async () => {
  const store = memoryStore()
  const service = createReferenceServer({ store, organizations: [{ id: 'acme' }] })
  await service.ready()
  const pending = new Set<() => void>()
  const after = (ms: number, run: () => void): (() => void) => {
    const cancel = (): void => void pending.delete(fire)
    const fire = (): void => {
      cancel()
      run()
    }
    pending.add(fire)
    // The poll, which would end the stream later, is never due.
    if (ms < 1_000) setImmediate(fire)
    return cancel
  }
  const live = createLiveStream({ service, store, after, onError: (error) => expect.fail(String(error)) })
  const stream = await live.open({ organizationId: 'acme', after: undefined })
  const reader = stream.getReader()
  await reader.read()
  const ended = reader.read()
  const turns = async () => {
    for (let turn = 0; turn < 20; turn++) await new Promise(setImmediate)
    return 'open'
  }
  for (let round = 0; round < 20; round++) {
    await turns()
    live.wake()
  }
  await turns()
  live.close()

  expect(await Promise.race([ended.then(({ done }) => done), turns()])).toBe(true)
  expect(pending.size).toBe(0)
})
