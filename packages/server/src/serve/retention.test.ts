import { expect, test } from 'vitest'
import { startRetention } from './retention.ts'

const day = 86_400_000

test('pauses after each batch for longer than it took', async () => {
  const batchMs = 20
  const spans: { start: number; end: number }[] = []
  const errors: unknown[] = []
  const { promise, resolve } = Promise.withResolvers<void>()
  const stop = startRetention({
    store: {
      prune: async () => {
        const start = performance.now()
        await new Promise((done) => setTimeout(done, batchMs))
        spans.push({ start, end: performance.now() })
        if (spans.length === 3) resolve()
        return 1
      },
    },
    clock: { now: Date.now },
    keptMs: day,
    recordsKeptMs: day,
    onError: (error) => errors.push(error),
  })
  await promise
  await stop()

  const [first, second, third] = spans
  expect(spans.length).toBe(3)
  expect((second?.start ?? 0) - (first?.end ?? 0)).toBeGreaterThan(3 * batchMs)
  expect((third?.start ?? 0) - (second?.end ?? 0)).toBeGreaterThan(3 * batchMs)
  expect(errors).toEqual([])
})

test('reports a failure, and stops immediately during a pause', async () => {
  const { promise, resolve } = Promise.withResolvers<unknown>()
  const stop = startRetention({
    store: { prune: () => Promise.reject(new Error('away')) },
    clock: { now: Date.now },
    keptMs: day,
    recordsKeptMs: day,
    onError: resolve,
  })
  expect(await promise).toEqual(new Error('away'))
  await stop()
})

test('waits for a minute after a failure, instead of trying again at once', async () => {
  const errors: unknown[] = []
  const stop = startRetention({
    store: { prune: () => Promise.reject(new Error('away')) },
    clock: { now: Date.now },
    keptMs: day,
    recordsKeptMs: undefined,
    onError: (error) => errors.push(error),
  })
  await new Promise((done) => setTimeout(done, 100))
  await stop()
  expect(errors).toEqual([new Error('away')])
})
