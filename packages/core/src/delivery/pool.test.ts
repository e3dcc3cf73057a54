import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { createServiceClock } from '../values/clock.ts'
import { createPool, type PoolJob } from './pool.ts'

const clock = createServiceClock()

const tick = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 0))

const quick: PoolJob = { organizationId: 'acme', pace: 'quick' }

/** Creates a pool that runs a number of jobs, and counts its claims and its running jobs. */
const createCountingPool = (jobs: number, concurrency: number) => {
  const seen = { claiming: 0, mostClaiming: 0, running: 0, mostRunning: 0, limits: [] as number[], done: 0 }
  const errors: unknown[] = []
  let left = jobs
  const pool = createPool<PoolJob>({
    concurrency,
    clock,
    onError: (error) => errors.push(error),
    claim: async ({ limit }) => {
      if (limit === 0) return []
      seen.limits.push(limit)
      seen.mostClaiming = Math.max(seen.mostClaiming, ++seen.claiming)
      await tick()
      seen.claiming--
      const claimed = Math.min(limit, left)
      left -= claimed
      return Array.from({ length: claimed }, () => quick)
    },
    release: async () => {
      left++
    },
    run: async () => {
      seen.mostRunning = Math.max(seen.mostRunning, ++seen.running)
      await tick()
      seen.running--
      seen.done++
      return true
    },
  })
  return { pool, seen, errors, add: (more: number) => (left += more) }
}

describe('createPool', () => {
  it('runs everything, with at most the allowed concurrency, and never claims twice concurrently', async () => {
    const { pool, seen } = createCountingPool(50, 4)
    await Promise.all([pool.drain(), pool.drain(), pool.fill()])
    expect(seen).toMatchObject({ done: 50, running: 0, mostRunning: 4, claiming: 0, mostClaiming: 1 })
    expect(Math.max(...seen.limits)).toBe(8)
    expect(Math.min(...seen.limits)).toBeGreaterThan(0)
  })

  it('runs jobs that are added during a claim', async () => {
    const { pool, seen, add } = createCountingPool(0, 4)
    const filling = pool.fill()
    add(3)
    await pool.drain()
    await filling
    expect(seen.done).toBe(3)
    expect(pool.isIdle()).toBe(true)
  })

  it('claims nothing while it is closed, releases jobs that have not started, and resolves close when nothing runs', async () => {
    const { pool, seen } = createCountingPool(10, 2)
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

  it('rejects drain if a job fails, and calls onError if nobody waits for drain', async () => {
    const errors: unknown[] = []
    let jobs = 1
    const pool = createPool<PoolJob>({
      concurrency: 2,
      clock,
      onError: (error) => errors.push(error),
      claim: async () => (jobs-- > 0 ? [quick] : []),
      release: async () => {},
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

  it('resolves close when nothing runs, even if a job failed meanwhile, and reports the failure', async () => {
    const errors: unknown[] = []
    const { promise: failed, reject: fail } = Promise.withResolvers<boolean>()
    const { promise: ended, resolve: end } = Promise.withResolvers<boolean>()
    const runs = [failed, ended]
    const pool = createPool<PoolJob>({
      concurrency: 2,
      clock,
      onError: (error) => errors.push(error),
      claim: async ({ limit }) => runs.slice(0, limit).map(() => quick),
      release: async () => {},
      run: () => runs.shift() ?? Promise.resolve(true),
    })
    await pool.fill()
    let isClosed = false
    const closed = pool.close().then(() => {
      isClosed = true
    })
    fail(new Error('broken'))
    await tick()
    expect(errors.map(String)).toEqual(['Error: broken'])
    expect(isClosed).toBe(false)
    end(true)
    await closed
    expect(pool.isIdle()).toBe(true)
  })

  it('starts another job in a freed slot, but not endlessly while results are being written', async () => {
    const { promise: written, resolve: write } = Promise.withResolvers<void>()
    let started = 0
    const pool = createPool<PoolJob>({
      concurrency: 2,
      clock,
      onError: () => {},
      claim: async ({ limit }) => Array.from({ length: Math.min(limit, 10 - started) }, () => quick),
      release: async () => {},
      run: async (_job, { free }) => {
        started++
        free()
        await written
        return true
      },
    })
    await pool.fill()
    await tick()
    expect(started).toBe(4)
    write()
    await pool.drain()
    expect(started).toBe(10)
  })

  it('claims when there is capacity for many, and for a single job after a few milliseconds', async () => {
    const ends: ((isQuick: boolean) => void)[] = []
    const limits: number[] = []
    const pool = createPool<PoolJob>({
      concurrency: 16,
      clock,
      onError: () => {},
      claim: async ({ limit }) => {
        if (limit > 0) limits.push(limit)
        return Array.from({ length: limit }, () => quick)
      },
      release: async () => {},
      run: () => new Promise((resolve) => ends.push(resolve)),
    })
    await pool.fill()
    expect(limits).toEqual([32])
    for (const end of ends.splice(0, 8)) end(true)
    await tick()
    expect(limits).toEqual([32, 8])
    ends.shift()?.(true)
    await expect.poll(() => limits).toEqual([32, 8, 1])
    const closed = pool.close()
    for (const end of ends) end(true)
    await closed
  })

  it.each([
    { pace: 'new', perSecond: 400, claims: 25 },
    { pace: 'failing', perSecond: 50, claims: 7 },
  ] as const)(
    'claims $pace jobs together, starts $perSecond per second one after the other, and releases the rest when it closes',
    async (expected) => {
      vi.useFakeTimers()
      onTestFinished(() => void vi.useRealTimers())
      const limits: number[] = []
      const seen = { started: 0, released: 0 }
      const pool = createPool<PoolJob>({
        concurrency: 64,
        clock: { now: () => Date.now() },
        onError: () => {},
        claim: async ({ suspects }) => {
          const length = expected.pace === 'new' ? suspects.limit : suspects.failing
          if (length > 0) limits.push(length)
          return Array.from({ length }, (_, index) => ({ organizationId: `${index}`, pace: expected.pace }))
        },
        release: async () => void seen.released++,
        run: async () => {
          seen.started++
          return false
        },
      })
      await pool.fill()
      expect(seen.started).toBe(1)
      await vi.advanceTimersByTimeAsync(4_000 / expected.perSecond)
      expect(seen.started).toBeGreaterThanOrEqual(4)
      expect(seen.started).toBeLessThanOrEqual(12)
      await vi.advanceTimersByTimeAsync(1_000 - 4_000 / expected.perSecond)
      expect(seen.started).toBeGreaterThan(0.95 * expected.perSecond)
      expect(seen.started).toBeLessThan(1.2 * expected.perSecond)
      expect(limits.length).toBeLessThanOrEqual(expected.claims + 2)

      const { started } = seen
      await pool.fill()
      const closed = pool.close()
      await vi.advanceTimersByTimeAsync(200)
      await closed
      expect(seen.started).toBe(started)
      expect(seen.started + seen.released).toBe(limits.reduce((sum, limit) => sum + limit))
    },
  )

  it('claims what a job may have made available: nothing suspect after a quick one that stays quick, and nothing quick after a suspect one that stays suspect', async () => {
    vi.useFakeTimers()
    onTestFinished(() => void vi.useRealTimers())
    const claimAfter = async (pace: 'quick' | 'failing', isQuick: boolean): Promise<string[]> => {
      const { promise: ended, resolve: end } = Promise.withResolvers<boolean>()
      let jobs = 1
      let claims: string[] = []
      const pool = createPool<PoolJob>({
        concurrency: 2,
        clock: { now: () => Date.now() },
        onError: () => {},
        claim: async ({ limit, suspects }) => {
          claims.push(limit > 0 ? 'quick' : 'suspect')
          const isAsked = pace === 'quick' ? limit > 0 : suspects.failing > 0
          return isAsked && jobs-- > 0 ? [{ organizationId: 'acme', pace }] : []
        },
        release: async () => {},
        run: () => ended,
      })
      void pool.fill()
      await vi.advanceTimersByTimeAsync(100)
      claims = []
      end(isQuick)
      await vi.advanceTimersByTimeAsync(100)
      return claims
    }
    expect(await claimAfter('quick', true)).toEqual(['quick'])
    expect(await claimAfter('quick', false)).toEqual(['suspect', 'quick'])
    expect(await claimAfter('failing', true)).toEqual(['suspect', 'quick'])
    expect(await claimAfter('failing', false)).toEqual(['suspect'])
  })

  it('claims suspect jobs at most every 40 ms while there are quick ones, and at once otherwise', async () => {
    vi.useFakeTimers()
    onTestFinished(() => void vi.useRealTimers())
    let claims = 0
    let quickJobs = 0
    const pool = createPool<PoolJob>({
      concurrency: 2,
      clock: { now: () => Date.now() },
      onError: () => {},
      claim: async ({ limit }) => {
        if (limit > 0) return quickJobs-- > 0 ? [quick] : []
        claims++
        return []
      },
      release: async () => {},
      run: async () => true,
    })
    const fillEvery10Ms = async (newJobs: number): Promise<void> => {
      claims = 0
      for (let time = 0; time < 400; time += 10) {
        quickJobs = newJobs
        void pool.fill()
        await vi.advanceTimersByTimeAsync(10)
      }
    }
    await fillEvery10Ms(1)
    expect(claims).toBeGreaterThanOrEqual(8)
    expect(claims).toBeLessThanOrEqual(11)
    await vi.advanceTimersByTimeAsync(100)
    await fillEvery10Ms(0)
    expect(claims).toBe(40)
  })

  it('closes as soon as nothing runs, also shortly after a claim of suspect jobs', async () => {
    vi.useFakeTimers()
    onTestFinished(() => void vi.useRealTimers())
    const { promise: ended, resolve: end } = Promise.withResolvers<boolean>()
    const jobs: PoolJob[] = [quick, { organizationId: 'acme', pace: 'failing' }]
    const pool = createPool<PoolJob>({
      concurrency: 2,
      clock: { now: () => Date.now() },
      onError: () => {},
      claim: async ({ limit }) => jobs.splice(limit > 0 ? 0 : -1, 1),
      release: async () => {},
      run: ({ pace }) => (pace === 'quick' ? Promise.resolve(true) : ended),
    })
    await pool.fill()
    let isClosed = false
    void pool.close().then(() => {
      isClosed = true
    })
    end(false)
    await vi.advanceTimersByTimeAsync(1)
    expect(isClosed).toBe(true)
  })

  it('claims and starts quick jobs while a claim of suspect ones is under way', async () => {
    const { promise: suspectsClaimed, resolve: endClaim } = Promise.withResolvers<void>()
    let jobs = 0
    let done = 0
    const pool = createPool<PoolJob>({
      concurrency: 4,
      clock,
      onError: () => {},
      claim: async ({ limit, suspects }) => {
        if (suspects.limit > 0) await suspectsClaimed
        return limit > 0 && jobs-- > 0 ? [quick] : []
      },
      release: async () => {},
      run: async () => {
        done++
        return true
      },
    })
    void pool.fill()
    jobs = 1
    void pool.fill()
    await expect.poll(() => done).toBe(1)
    endClaim()
    await pool.drain()
  })
})
