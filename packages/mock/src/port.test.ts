import { createMock } from '@wabakit/mock'
import { expect, onTestFinished, test } from 'vitest'
import { listen } from './port.ts'

test('a stream is canceled when its client hangs up', async () => {
  const canceled = Promise.withResolvers<string>()
  const port = await listen(
    async () => {
      const start = (controller: ReadableStreamDefaultController): void =>
        controller.enqueue(new Uint8Array(1))
      return new Response(new ReadableStream({ start, cancel: () => canceled.resolve('canceled') }))
    },
    { port: 0, host: '127.0.0.1' },
  )
  onTestFinished(() => port.close())
  const client = new AbortController()
  const { body } = await fetch(port.url, { signal: client.signal })
  await body?.getReader().read()
  client.abort()
  expect(await canceled.promise).toBe('canceled')
})

test('rejects a port that no client could reach with fetch', async () => {
  await expect(createMock({ port: 6_000 })).rejects.toThrow(
    'createMock: port must be one that fetch and browsers do not block, such as 4100, or 0 for a free one',
  )
})
