import { setImmediate } from 'node:timers/promises'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { createTransactions } from './transactions.ts'

const completion = { text: '', values: [] }

/** Creates transactions on connections that are numbers. A test may replace the operations. */
const setUp = (given: Partial<Parameters<typeof createTransactions<number>>[0]> = {}) => {
  const log: string[] = []
  let opened = 0
  const start = createTransactions<number>({
    limit: 2,
    connect: async () => {
      opened += 1
      return opened
    },
    begin: async (client) => {
      log.push(`begin ${client}`)
      return client
    },
    isSilent: async () => false,
    commit: async (client) => {
      log.push(`commit ${client}`)
      return true
    },
    close: (client, destroy) => void log.push(`${destroy ? 'destroy' : 'release'} ${client}`),
    ...given,
  })
  const silences: string[] = []
  const begin = () => start((error) => silences.push(error.message))
  return { begin, log, silences }
}

it('opens one transaction for an attempt, and commits it with the completion', async () => {
  const { begin, log } = setUp()
  const attempt = begin()
  expect(await Promise.all([attempt.transaction(), attempt.transaction()])).toEqual([1, 1])
  expect(await attempt.complete(completion)).toBe(true)
  expect(log).toEqual(['begin 1', 'commit 1', 'release 1'])
})

it('opens no transaction for an attempt that does not use one', async () => {
  const { begin, log } = setUp()
  const [completed, abandoned] = [begin(), begin()]
  expect(await completed.complete(completion)).toBe(undefined)
  abandoned.abandon()
  expect(log).toEqual([])
})

it('closes the connection when the claim was lost, and when the commit fails', async () => {
  const outcomes = [() => Promise.resolve(false), () => Promise.reject(new Error('broken'))]
  for (const commit of outcomes) {
    const { begin, log } = setUp({ commit })
    const attempt = begin()
    await attempt.transaction()
    expect(await attempt.complete(completion).catch(String)).toSatisfy(
      (result) => result === false || result === 'Error: broken',
    )
    expect(log).toEqual(['begin 1', 'destroy 1'])
  }
})

it('closes the connection of an abandoned attempt once, so that its handler can no longer write', async () => {
  const { begin, log } = setUp()
  const [running, opening] = [begin(), begin()]
  await running.transaction()
  const opened = opening.transaction()
  for (const attempt of [running, opening]) {
    attempt.abandon()
    attempt.abandon()
  }
  await opened
  await setImmediate()
  expect(log.toSorted()).toEqual(['begin 1', 'begin 2', 'destroy 1', 'destroy 2'])
  await expect(running.transaction()).rejects.toThrow('The attempt has ended')
  await expect(running.complete(completion)).rejects.toThrow('abandoned')
})

it('does not abandon a completed attempt', async () => {
  const { begin, log } = setUp()
  const attempt = begin()
  await attempt.transaction()
  await attempt.complete(completion)
  attempt.abandon()
  await setImmediate()
  expect(log).toEqual(['begin 1', 'commit 1', 'release 1'])
  await expect(attempt.transaction()).rejects.toThrow('The attempt has ended')
})

it('gives a limited number of connections to handlers, in the order in which they ask', async () => {
  const { begin, log } = setUp()
  const attempts = Array.from({ length: 5 }, begin)
  const opened = attempts.map((attempt) => attempt.transaction())
  await setImmediate()
  expect(log).toEqual(['begin 1', 'begin 2'])
  await attempts[1]?.complete(completion)
  attempts[0]?.abandon()
  await setImmediate()
  expect(log.filter((line) => line.startsWith('begin'))).toEqual(['begin 1', 'begin 2', 'begin 3', 'begin 4'])
  await attempts[3]?.complete(completion)
  expect(await Promise.all(opened)).toEqual([1, 2, 3, 4, 5])
  for (const index of [2, 4]) await attempts[index]?.complete(completion)
  log.length = 0
  const later = Array.from({ length: 3 }, begin)
  for (const attempt of later) void attempt.transaction()
  await setImmediate()
  expect(log).toHaveLength(2)
})

it('frees the slot of a connection that cannot be opened, or on which no transaction can begin', async () => {
  const failures = {
    connect: vi.fn<() => Promise<number>>().mockRejectedValueOnce(new Error('refused')).mockResolvedValue(1),
    begin: vi.fn<() => Promise<number>>().mockRejectedValueOnce(new Error('refused')).mockResolvedValue(1),
  }
  for (const [operation, closed] of [
    ['connect', []],
    ['begin', ['destroy 1']],
  ] as const) {
    const { begin, log } = setUp({ limit: 1, [operation]: failures[operation] })
    const failing = begin()
    await expect(failing.transaction()).rejects.toThrow('refused')
    expect(log.filter((line) => line.startsWith('destroy'))).toEqual(closed)
    failing.abandon()
    await setImmediate()
    expect(await begin().transaction()).toBeTypeOf('number')
  }
})

it('refuses atCompletion(), which is for SQLite', () => {
  const { begin } = setUp()
  expect(() => begin().atCompletion(() => {})).toThrow('atCompletion() runs on SQLite')
})

describe('a connection that no longer responds', () => {
  const fakeTime = () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] })
    onTestFinished(() => void vi.useRealTimers())
  }

  it('ends the attempt, whatever its handler does, and frees the slot', async () => {
    fakeTime()
    const silent = new Set<number>()
    const { begin, log, silences } = setUp({ limit: 1, isSilent: async (client) => silent.has(client) })
    const attempt = begin()
    await attempt.transaction()
    const next = begin().transaction()
    await vi.advanceTimersByTimeAsync(60_000)
    expect([log, silences]).toEqual([['begin 1'], []])
    silent.add(1)
    await vi.advanceTimersByTimeAsync(5_000)
    expect(silences).toEqual(['The connection of this transaction no longer responds.'])
    expect(await next).toBe(2)
    expect(log).toEqual(['begin 1', 'destroy 1', 'begin 2'])
    await expect(attempt.transaction()).rejects.toThrow('The attempt has ended')
    await vi.advanceTimersByTimeAsync(60_000)
    expect(silences).toHaveLength(1)
  })

  it('fails a commit that gets no answer, and frees the slot', async () => {
    fakeTime()
    const commit = () => new Promise<boolean>(() => {})
    const { begin, log, silences } = setUp({ commit, isSilent: async () => true })
    const attempt = begin()
    await attempt.transaction()
    const completed = attempt.complete(completion).catch(String)
    await vi.advanceTimersByTimeAsync(5_000)
    expect(await completed).toBe('Error: The connection of this transaction no longer responds.')
    expect([log, silences]).toEqual([['begin 1', 'destroy 1'], []])
  })

  it.each(['connect', 'begin'] as const)('has ten seconds to %s', async (operation) => {
    fakeTime()
    const late = Promise.withResolvers<number>()
    const answers = vi.fn<() => Promise<number>>().mockReturnValueOnce(late.promise).mockResolvedValue(2)
    const { begin, log } = setUp({ limit: 1, [operation]: answers })
    const failed = begin().transaction().catch(String)
    const next = begin().transaction()
    await vi.advanceTimersByTimeAsync(9_999)
    expect(answers).toHaveBeenCalledTimes(1)
    await vi.advanceTimersByTimeAsync(1)
    expect(await failed).toBe('Error: The database did not respond within 10000 ms.')
    expect(await next).toBe(2)
    late.resolve(7)
    await vi.advanceTimersByTimeAsync(0)
    expect(log.filter((line) => line.startsWith('destroy'))).toEqual([
      operation === 'connect' ? 'destroy 7' : 'destroy 1',
    ])
  })

  it('is not checked after the attempt, and a check that fails decides nothing', async () => {
    fakeTime()
    const isSilent = vi.fn(() => Promise.reject(new Error('unreachable')))
    const { begin, silences } = setUp({ isSilent })
    const [completed, abandoned] = [begin(), begin()]
    for (const attempt of [completed, abandoned]) await attempt.transaction()
    await vi.advanceTimersByTimeAsync(15_000)
    expect([isSilent.mock.calls.length, silences]).toEqual([6, []])
    await completed.complete(completion)
    abandoned.abandon()
    await vi.advanceTimersByTimeAsync(60_000)
    expect(isSilent).toHaveBeenCalledTimes(6)
    expect(vi.getTimerCount()).toBe(0)
  })
})
