import { expect, test } from 'vitest'
import { readMessages, type StreamMessage } from './read-messages.ts'

const read = async (chunks: readonly Uint8Array[], onChunk?: () => void) => {
  const body = new ReadableStream<Uint8Array>({
    start: (controller) => {
      for (const chunk of chunks) controller.enqueue(chunk)
      controller.close()
    },
  })
  const messages: StreamMessage[] = []
  for await (const message of readMessages(body, onChunk)) messages.push(message)
  return messages
}

test('reads messages whose characters are split between chunks', async () => {
  const bytes = new TextEncoder().encode('event: event\ndata: {"subject":"Teapots 🫖 für Zoë"}\n\n')
  expect(await read(Array.from(bytes, (byte) => Uint8Array.of(byte)))).toEqual([
    { name: 'event', id: undefined, data: '{"subject":"Teapots 🫖 für Zoë"}' },
  ])
})

test('joins lines of data, and reports a comment only as data that arrived', async () => {
  let chunks = 0
  const bytes = new TextEncoder().encode(
    ': alive\r\n\r\nid: 7\r\ndata: one\u2028\r\ndata:two\r\n\r\ndata: cut',
  )
  expect(await read([bytes], () => chunks++)).toEqual([{ name: 'message', id: '7', data: 'one\u2028\ntwo' }])
  expect(chunks).toBe(1)
})

test('cancels the stream if its reader stops early', async () => {
  let isCancelled = false
  const body = new ReadableStream({
    start: (controller) => controller.enqueue(new TextEncoder().encode('data: 1\n\n')),
    cancel: () => {
      isCancelled = true
    },
  })
  for await (const { data } of readMessages(body)) {
    expect(data).toBe('1')
    break
  }
  expect(isCancelled).toBe(true)
})

test('reads a message whose parts end between its line feeds', async () => {
  const chunks = ['da', 'ta: 1\n', '', '\ndata: 2', '\n', '\n', 'data: 3\n\nd'].map((text) =>
    new TextEncoder().encode(text),
  )
  expect((await read(chunks)).map(({ data }) => data)).toEqual(['1', '2', '3'])
})

test('rejects a message without an end, and cancels the stream', async () => {
  let sent = 0
  let isCancelled = false
  const chunk = new TextEncoder().encode('data: a\n'.repeat(8_192))
  const body = new ReadableStream<Uint8Array>({
    pull: (controller) => {
      sent += chunk.length
      controller.enqueue(chunk)
    },
    cancel: () => {
      isCancelled = true
    },
  })
  const startedAt = process.cpuUsage()
  await expect(readMessages(body).next()).rejects.toThrow(
    'A message of the stream exceeds 16,777,216 characters.',
  )
  expect(process.cpuUsage(startedAt).user / 1_000).toBeLessThan(2_000)
  expect(isCancelled).toBe(true)
  expect(sent).toBeLessThan(18_000_000)
})
