import { setImmediate } from 'node:timers/promises'
import { expect, it, onTestFinished, vi } from 'vitest'
import { createOwnConnection } from './own-connection.ts'

const broken = new Error('broken')

/** Creates a connection that is a number. A test may replace the function that opens it. */
const setUp = (open?: () => Promise<number>) => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  const log: string[] = []
  let opened = 0
  const own = createOwnConnection<number>({
    open: async () => {
      log.push('open')
      opened += 1
      return open === undefined ? opened : open()
    },
    close: async (client, isBroken) => void log.push(`${isBroken ? 'destroy' : 'release'} ${client}`),
    isBroken: (error) => error === broken || String(error).includes('did not respond'),
  })
  return { own, log }
}

it('runs one statement at a time, on one connection, and returns it when idle', async () => {
  const { own, log } = setUp()
  const gate = Promise.withResolvers<void>()
  const first = own.use(async (client) => {
    log.push(`start ${client}`)
    await gate.promise
    log.push('end')
    return 'first'
  })
  const second = own.use(async (client) => {
    log.push(`second ${client}`)
    return 'second'
  })
  await setImmediate()
  expect(log).toEqual(['open', 'start 1'])
  gate.resolve()
  expect(await Promise.all([first, second])).toEqual(['first', 'second'])
  await setImmediate()
  expect(log).toEqual(['open', 'start 1', 'end', 'second 1', 'release 1'])
  expect(await own.use(async (client) => client)).toBe(2)
})

it('keeps the connection while it is held', async () => {
  const { own, log } = setUp()
  const release = own.hold()
  for (let count = 0; count < 2; count += 1) expect(await own.use(async (client) => client)).toBe(1)
  await setImmediate()
  expect(log).toEqual(['open'])
  await release()
  expect(log).toEqual(['open', 'release 1'])
})

it('keeps the connection after a statement that fails, and replaces it when it breaks', async () => {
  const { own, log } = setUp()
  own.hold()
  await expect(own.use(() => Promise.reject(new Error('syntax')))).rejects.toThrow('syntax')
  expect(await own.use(async (client) => client)).toBe(1)
  await expect(own.use(() => Promise.reject(broken))).rejects.toThrow('broken')
  expect(await own.use(async (client) => client)).toBe(2)
  expect(log).toEqual(['open', 'destroy 1', 'open'])
})

it('gives up a statement and its connection after ten seconds', async () => {
  const { own, log } = setUp()
  own.hold()
  const [failed, next] = [vi.fn(), vi.fn()]
  void own.use(() => new Promise(() => {})).catch((error) => failed(String(error)))
  void own.use(async (client) => next(client))
  await vi.advanceTimersByTimeAsync(9_999)
  expect([failed.mock.calls, next.mock.calls]).toEqual([[], []])
  await vi.advanceTimersByTimeAsync(1)
  await setImmediate()
  expect(failed.mock.calls).toEqual([['Error: The database did not respond within 10000 ms.']])
  expect(next.mock.calls).toEqual([[2]])
  expect(log).toEqual(['open', 'destroy 1', 'open'])
})

it('tries again after a connection could not be opened', async () => {
  const open = vi.fn<() => Promise<number>>().mockRejectedValueOnce(new Error('refused')).mockResolvedValue(7)
  const { own } = setUp(open)
  const release = own.hold()
  await setImmediate()
  expect(await own.use(async (client) => client)).toBe(7)
  await release()
  open.mockRejectedValueOnce(new Error('refused'))
  await expect(own.use(async (client) => client)).rejects.toThrow('refused')
  expect(await own.use(async (client) => client)).toBe(7)
})

it('replaces the current connection on request, but not for an earlier one', async () => {
  const { own, log } = setUp()
  own.hold()
  expect(await own.use(async (client) => client)).toBe(1)
  own.replace(5)
  await setImmediate()
  expect(await own.use(async (client) => client)).toBe(1)
  own.replace(1)
  await setImmediate()
  expect(await own.use(async (client) => client)).toBe(2)
  expect(log).toEqual(['open', 'destroy 1', 'open'])
})

it('may be asked to replace an earlier connection while it cannot open another one', async () => {
  const unhandled = vi.fn()
  process.on('unhandledRejection', unhandled)
  onTestFinished(() => void process.off('unhandledRejection', unhandled))
  const opening = Promise.withResolvers<number>()
  const { own } = setUp(() => opening.promise)
  const failing = expect(own.use(async (client) => client)).rejects.toThrow('refused')
  await setImmediate()
  own.replace(1)
  opening.reject(new Error('refused'))
  await failing
  await setImmediate()
  expect(unhandled).not.toHaveBeenCalled()
})

it('forgets a connection even if it cannot be closed', async () => {
  const own = createOwnConnection<number>({
    open: async () => 1,
    close: () => Promise.reject(new Error('gone')),
    isBroken: () => true,
  })
  own.replace(1)
  await own.hold()()
  expect(await own.use(async (client) => client)).toBe(1)
})
