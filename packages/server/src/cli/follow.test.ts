import { expect, test } from 'vitest'
import { readMessages } from './follow.ts'

test('reads messages whose characters are split between chunks', async () => {
  const bytes = new TextEncoder().encode('event: event\ndata: {"subject":"Teapots 🫖 für Zoë"}\n\n')
  const body = new ReadableStream<Uint8Array>({
    start: (controller) => {
      for (const byte of bytes) controller.enqueue(Uint8Array.of(byte))
      controller.close()
    },
  })
  const messages: unknown[] = []
  for await (const message of readMessages(body)) messages.push(message)
  expect(messages).toEqual([{ name: 'event', id: undefined, data: '{"subject":"Teapots 🫖 für Zoë"}' }])
})
