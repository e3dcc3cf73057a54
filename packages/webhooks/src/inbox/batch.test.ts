import { setImmediate } from 'node:timers/promises'
import { expect, it, onTestFinished, vi } from 'vitest'
import { createBatch } from './batch.ts'

it('runs items that arrive together, or while a batch is under way, in batches of at most 100', async () => {
  const batches: (readonly number[])[] = []
  const gate = Promise.withResolvers<void>()
  const run = createBatch<number, string>(async (items) => {
    batches.push(items)
    await gate.promise
    return items.map((item) => `result ${item}`)
  })
  const first = [run(0), run(1)]
  await expect.poll(() => batches).toHaveLength(1)
  const later = Array.from({ length: 120 }, (_, index) => run(index + 2))
  await setImmediate()
  expect(batches).toEqual([[0, 1]])
  gate.resolve()
  expect(await Promise.all([...first, ...later])).toEqual(
    Array.from({ length: 122 }, (_, index) => `result ${index}`),
  )
  expect(batches.map((batch) => batch.length)).toEqual([2, 100, 20])
  expect(await run(122)).toBe('result 122')
})

it('rejects items with their own errors, or with the error of the batch', async () => {
  const run = createBatch<string, string>(async (items) => {
    if (items.includes('all')) throw new Error('all failed')
    return items.map((item) => (item === 'bad' ? new Error('bad failed') : item))
  })
  expect(await Promise.allSettled([run('good'), run('bad')])).toMatchObject([
    { value: 'good' },
    { reason: { message: 'bad failed' } },
  ])
  expect(await Promise.allSettled([run('good'), run('all')])).toMatchObject([
    { reason: { message: 'all failed' } },
    { reason: { message: 'all failed' } },
  ])
  expect(await run('good')).toBe('good')
})

it('needs no setImmediate, which only some runtimes have', async () => {
  vi.stubGlobal('setImmediate', undefined)
  onTestFinished(() => void vi.unstubAllGlobals())
  const run = createBatch<string, string>(async (items) => items)
  expect(await run('item')).toBe('item')
})

it('rejects an item that has no result, rather than let it wait forever', async () => {
  const run = createBatch<string, string>(async () => [])
  await expect(run('lost')).rejects.toThrow('no result')
})
