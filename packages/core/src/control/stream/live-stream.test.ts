import { readMessages } from '@wabakit/wire'
import { expect, test } from 'vitest'
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

test('a client that reads slowly gets the last 1,000 attempts, so that it does not fill the memory', async () => {
  const wabaNumber = '+15550100001'
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
  const live = createLiveStream({
    service: { ...service, dispatcher },
    store,
    onError: (error) => expect.fail(String(error)),
  })
  const stream = await live.open({ organizationId: 'acme', after: undefined })
  for (let number = 1; number <= 1_500; number++) {
    const delivery = { ...report.attempted.delivery, id: `dlv_${number}` }
    emit({ ...report, attempted: { ...report.attempted, delivery } })
  }
  const ids: string[] = []
  for await (const { name, data } of readMessages(stream)) {
    if (name === 'attempt') ids.push(JSON.parse(data).deliveryId)
    if (ids.at(-1) === 'dlv_1500') live.close()
  }

  expect([ids.length, ids[0]]).toEqual([1_000, 'dlv_501'])
})
