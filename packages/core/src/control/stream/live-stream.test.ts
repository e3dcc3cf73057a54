import { expect, test } from 'vitest'
import { createReferenceServer, memoryStore } from '../../index.ts'
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
