import { expect, test } from 'vitest'
import { createWorkers } from './workers.ts'

const leaseMs = 1_000

const read = async (workers: ReturnType<typeof createWorkers>, now: number) => {
  const { workers: names, shards } = await workers.renewWorker({ worker: 'observer', leaseMs, now })
  return { names, owners: shards.map(({ owner }) => owner), epochs: shards.map(({ epoch }) => epoch) }
}

/** Three shards: `a` has the first, `b` the second. */
const create = async () => {
  const workers = createWorkers(3)
  for (const [shard, worker] of ['a', 'b'].entries()) {
    await workers.renewWorker({ worker, leaseMs, now: 0 })
    await workers.takeShards({ worker, shards: [{ shard, epoch: 0 }], now: 0 })
  }
  return workers
}

test('a worker that ends leaves its shards, and no others', async () => {
  const workers = await create()
  expect(await read(workers, 1)).toEqual({
    names: ['a', 'b', 'observer'],
    owners: ['a', 'b', null],
    epochs: [1, 1, 0],
  })
  await workers.endWorker('a')
  expect(await read(workers, 1)).toMatchObject({ names: ['b', 'observer'], owners: [null, 'b', null] })
})

test('only a living worker takes a shard, from one whose lease has ended, and only with its current epoch', async () => {
  const workers = await create()
  const take = (shard: number, epoch: number, now: number) =>
    workers.takeShards({ worker: 'c', shards: [{ shard, epoch }], now })
  expect(await take(2, 0, 0)).toEqual([])
  await workers.renewWorker({ worker: 'c', leaseMs: 2 * leaseMs, now: 0 })
  expect(await take(0, 1, leaseMs - 1)).toEqual([])
  expect(await take(0, 0, leaseMs)).toEqual([])
  expect(await take(0, 1, leaseMs)).toEqual([{ shard: 0, epoch: 2 }])
  expect([0, 1, 2].map((epoch) => workers.isCurrent({ shard: 0, epoch }))).toEqual([false, false, true])
})

test('only its owner gives up a shard', async () => {
  const workers = await create()
  const shards = [{ shard: 0, epoch: 1 }]
  await workers.giveShards({ worker: 'b', shards, now: 1 })
  expect((await read(workers, 1)).owners).toEqual(['a', 'b', null])
  await workers.giveShards({ worker: 'a', shards, now: 1 })
  expect((await read(workers, 1)).owners).toEqual([null, 'b', null])
})
