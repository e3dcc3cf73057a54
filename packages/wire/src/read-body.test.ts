import { expect, test } from 'vitest'
import { readText } from './read-body.ts'

test('reads a body whose characters are split between chunks, up to its limit', async () => {
  const bytes = new TextEncoder().encode('é€🎉')
  const body = () =>
    new ReadableStream<Uint8Array>({
      start: (controller) => {
        for (const byte of bytes) controller.enqueue(Uint8Array.of(byte))
        controller.close()
      },
    })
  expect(await readText({ body: body() }, bytes.length)).toBe('é€🎉')
  expect(await readText({ body: body() }, bytes.length - 1)).toBeUndefined()
  expect(await readText({ body: null }, 0)).toBe('')
})

test('cancels a body that exceeds its limit, and rejects if reading fails', async () => {
  let reason: unknown = 'open'
  const endless = new ReadableStream<Uint8Array>({
    pull: (controller) => controller.enqueue(new Uint8Array(10)),
    // Never settles, as when the sender does not stop.
    cancel: (given) => {
      reason = given
      return new Promise<void>(() => {})
    },
  })
  expect(await readText({ body: endless }, 100)).toBeUndefined()
  expect(reason).toBeUndefined()
  const failing = new ReadableStream<Uint8Array>({
    pull: (controller) => controller.error(new Error('lost')),
  })
  await expect(readText({ body: failing }, 100)).rejects.toThrow('lost')
})
