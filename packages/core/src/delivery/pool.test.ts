import { describe, expect, it } from 'vitest'
import { systemClock as clock } from '../values/clock.ts'
import { createPool, type PoolJob } from './pool.ts'

const tick = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 0))

const quick: PoolJob = { organizationId: 'acme', pace: 'quick' }

/** A pool over a list of jobs, which records how it takes and runs them. */
const createWorkshop = (jobs: number, concurrency: number) => {
  const seen = { taking: 0, mostTaking: 0, running: 0, mostRunning: 0, limits: [] as number[], done: 0 }
  const errors: unknown[] = []
  let left = jobs
  const pool = createPool<PoolJob>({
    concurrency,
    clock,
    onError: (error) => errors.push(error),
    take: async ({ limit }) => {
      if (limit > 0) seen.limits.push(limit)
      seen.mostTaking = Math.max(seen.mostTaking, ++seen.taking)
      await tick()
      seen.taking--
      const taken = Math.min(limit, left)
      left -= taken
      return Array.from({ length: taken }, () => quick)
    },
    giveBack: async () => {
      left++
    },
    run: async () => {
      seen.mostRunning = Math.max(seen.mostRunning, ++seen.running)
      await tick()
      seen.running--
      seen.done++
    },
  })
  return { pool, seen, errors, add: (more: number) => (left += more) }
}

describe('createPool', () => {
  it('runs everything, never more at once than allowed, and takes in one place at a time', async () => {
    const { pool, seen } = createWorkshop(50, 4)
    await Promise.all([pool.drain(), pool.drain(), pool.fill()])
    expect(seen).toMatchObject({ done: 50, running: 0, mostRunning: 4, taking: 0, mostTaking: 1 })
    expect(Math.max(...seen.limits)).toBe(8)
    expect(Math.min(...seen.limits)).toBeGreaterThan(0)
  })

  it('sees what is added while it takes', async () => {
    const { pool, seen, add } = createWorkshop(0, 4)
    const filling = pool.fill()
    add(3)
    await pool.drain()
    await filling
    expect(seen.done).toBe(3)
    expect(pool.isIdle()).toBe(true)
  })

  it('takes nothing while it is closed, gives back what it has not begun, and resolves close when nothing runs', async () => {
    const { pool, seen } = createWorkshop(10, 2)
    const filled = pool.fill()
    await filled
    await pool.close()
    expect(seen).toMatchObject({ limits: [4], done: 2, running: 0 })
    await pool.fill()
    expect(seen.done).toBe(2)
    pool.open()
    await pool.drain()
    expect(seen.done).toBe(10)
  })

  it('rejects drain when a job fails, and tells onError when nobody waits', async () => {
    const errors: unknown[] = []
    let jobs = 1
    const pool = createPool<PoolJob>({
      concurrency: 2,
      clock,
      onError: (error) => errors.push(error),
      take: async () => (jobs-- > 0 ? [quick] : []),
      giveBack: async () => {},
      run: async () => {
        throw new Error('broken')
      },
    })
    await expect(pool.drain()).rejects.toThrow('broken')
    expect(errors).toEqual([])
    jobs = 1
    await pool.fill()
    await tick()
    expect(errors.map(String)).toEqual(['Error: broken'])
  })

  it('starts another job where one made room, but not without end while results are being written', async () => {
    const { promise: written, resolve: write } = Promise.withResolvers<void>()
    let started = 0
    const pool = createPool<PoolJob>({
      concurrency: 2,
      clock,
      onError: () => {},
      take: async ({ limit }) => Array.from({ length: Math.min(limit, 10 - started) }, () => quick),
      giveBack: async () => {},
      run: async (_job, { makeRoom }) => {
        started++
        makeRoom()
        await written
      },
    })
    await pool.fill()
    await tick()
    expect(started).toBe(4)
    write()
    await pool.drain()
    expect(started).toBe(10)
  })

  it('takes when there is room for many, and for a single one after a few milliseconds', async () => {
    const ends: (() => void)[] = []
    const limits: number[] = []
    const pool = createPool<PoolJob>({
      concurrency: 16,
      clock,
      onError: () => {},
      take: async ({ limit }) => {
        if (limit > 0) limits.push(limit)
        return Array.from({ length: limit }, () => quick)
      },
      giveBack: async () => {},
      run: () => new Promise((resolve) => ends.push(resolve)),
    })
    await pool.fill()
    expect(limits).toEqual([32])
    for (const end of ends.splice(0, 8)) end()
    await tick()
    expect(limits).toEqual([32, 8])
    ends.shift()?.()
    await expect.poll(() => limits).toEqual([32, 8, 1])
    const closed = pool.close()
    for (const end of ends) end()
    await closed
  })
})
