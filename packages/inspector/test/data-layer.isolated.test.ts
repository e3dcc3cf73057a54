// The modules of the page read these while they are loaded.
import './page-globals.ts'

import type { ServerResponse } from 'node:http'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import { connection, type LiveMessage, listen, startLive } from '../src/api/live.ts'
import { organizations } from '../src/api/organization.ts'
import { createReload, reloadAll } from '../src/api/reload.ts'
import { findSubscription, followSubscriptions } from '../src/api/subscriptions.ts'
import { createRecordList } from '../src/list/record-list.ts'
import { closeRecord, leaveRow, openRecord } from '../src/state/current-record.ts'
import { isTokenRequired, logIn } from '../src/state/session.ts'
import { respond, servePage, setHidden, settle, until } from './page-globals.ts'

type Item = { readonly id: string; readonly at: string; readonly version?: number }

const toItem = (index: number): Item => ({
  id: `record-${index}`,
  at: new Date(Date.UTC(2026, 0, 1) + index * 1_000).toISOString(),
})

/** Lists records from a newest one to an oldest one. */
const toItems = (newest: number, oldest: number): Item[] =>
  Array.from({ length: newest - oldest + 1 }, (_, index) => toItem(newest - index))

const definition = {
  view: 'events',
  getId: ({ id }: Item) => id,
  getTime: ({ at }: Item) => at,
  filters: [],
  columns: {},
  isAbout: ({ type }: LiveMessage) => type === 'event',
  Detail: () => null,
  empty: { title: '', text: '', commands: [] },
} as const

type Options = { pollMs?: number; isMutable?: true; isAbout?: (message: LiveMessage) => boolean }

const openList = (options: Options = {}) =>
  createRecordList<Item>({ ...definition, ...options }, { organizationId: 'acme', query: {} })

setFlagsFromString('--expose-gc')
const collectGarbage: () => void = runInNewContext('gc')

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'performance'] })
  const createdAt = toItem(0).at
  organizations.value = [
    { id: 'acme', callSummaries: 'automatic', integrations: [], pstnNumbers: [], createdAt },
  ]
})

afterEach(() => {
  closeRecord()
  setHidden(false)
  organizations.value = undefined
  vi.restoreAllMocks()
  vi.useRealTimers()
})

test('a list loads the next page without repeating records that have moved to it', async () => {
  await servePage((request, response) => {
    const isNext = request.url?.includes('cursor=next') ?? false
    // Three records were added after the first page, so that its last three move to the second.
    if (isNext) respond(response, { items: toItems(103, 1) })
    else respond(response, { items: toItems(200, 101), nextCursor: 'next' })
  })
  const list = openList()
  onTestFinished(list.start())
  await until(() => list.items.value.length === 100)

  await list.loadMore()

  const ids = list.items.value.map(({ id }) => id)
  expect(ids.length).toBe(200)
  expect(new Set(ids).size).toBe(200)
  expect(list.hasMore.value).toBe(false)
})

test('a list that the user has left sends no further request', async () => {
  let requests = 0
  await servePage((_, response) => {
    requests += 1
    respond(response, { items: toItems(10, 1) })
  })
  const started = vi.spyOn(globalThis, 'setInterval')
  const cleared = vi.spyOn(globalThis, 'clearInterval')
  const list = openList({ pollMs: 2_000 })
  const stop = list.start()
  await until(() => list.items.value.length === 10)
  await vi.advanceTimersByTimeAsync(4_500)
  await until(() => requests > 1)
  await settle()
  const before = requests

  stop()

  const polling = started.mock.results.map(({ value }) => value)
  expect(polling.length).toBe(1)
  expect(cleared.mock.calls.flat()).toEqual(polling)
  await vi.advanceTimersByTimeAsync(20_000)
  await settle()
  expect(requests).toBe(before)
})

test('lists that the user has left are not kept in memory', async () => {
  await servePage((_, response) => respond(response, { items: toItems(10, 1) }))
  const left: WeakRef<object>[] = []
  for (let count = 0; count < 20; count++) {
    const list = openList()
    const stop = list.start()
    await until(() => list.items.value.length === 10)
    stop()
    left.push(new WeakRef(list.items))
  }
  await until(() => {
    collectGarbage()
    return left.filter((each) => each.deref() !== undefined).length <= 2
  })
})

test('a list that the user has left, and a listener that has unsubscribed, get no more messages', async () => {
  let stream: ServerResponse | undefined
  await servePage((request, response) => {
    if (!request.url?.includes('/stream')) return respond(response, { items: toItems(10, 1) })
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.write(':\n\n')
    stream = response
  })
  const heard = { first: 0, second: 0, left: 0 }
  const stopFirst = listen(() => (heard.first += 1))
  const list = openList({
    isAbout: () => {
      heard.left += 1
      return false
    },
  })
  const stop = list.start()
  onTestFinished(listen(() => (heard.second += 1)))
  onTestFinished(startLive())
  await until(() => connection.value === 'connected')
  const send = () => stream?.write('event: event\ndata: {"subject":"call:1"}\n\n')

  send()
  await until(() => heard.second === 1)
  stopFirst()
  stop()
  send()
  await until(() => heard.second === 2)

  expect(heard).toEqual({ first: 1, second: 2, left: 1 })
})

test('a list that is to be reloaded while it loads is reloaded as soon as that has ended', async () => {
  const held: ServerResponse[] = []
  await servePage((_, response) => void held.push(response))
  const list = openList()
  onTestFinished(list.start())
  await until(() => held.length === 1)

  reloadAll()
  await settle()
  expect(held.length).toBe(1)
  if (held[0] !== undefined) respond(held[0], { items: toItems(10, 1) })

  await until(() => held.length === 2)
  if (held[1] !== undefined) respond(held[1], { items: toItems(12, 1) })
  await until(() => list.items.value.length === 12)
})

test('a page in the background sends no requests, and catches up when it is visible again', async () => {
  let newest = 10
  await servePage((_, response) => respond(response, { items: toItems(newest, 1) }))
  const list = openList({ pollMs: 2_000 })
  onTestFinished(list.start())
  await until(() => list.items.value.length === 10)

  setHidden(true)
  newest = 12
  await vi.advanceTimersByTimeAsync(10_000)
  await settle()
  expect(list.items.value.length).toBe(10)

  setHidden(false)
  await until(() => list.items.value.length === 12)
})

test('a list with an open record counts new records, and shows them when the record is closed', async () => {
  let newest = 10
  await servePage((_, response) => respond(response, { items: toItems(newest, 1) }))
  const list = openList({ pollMs: 2_000 })
  onTestFinished(list.start())
  await until(() => list.items.value.length === 10)
  openRecord('record-4')

  newest = 13
  await vi.advanceTimersByTimeAsync(4_500)
  await until(() => list.freshCount.value === 3)
  expect(list.items.value[0]?.id).toBe('record-10')

  closeRecord()
  leaveRow()
  await until(() => list.items.value[0]?.id === 'record-13')
  expect(list.freshCount.value).toBe(0)
})

test('a list that follows new records for days keeps at most a thousand and a page', async () => {
  let newest = 100
  await servePage((_, response) =>
    respond(response, { items: toItems(newest, newest - 99), nextCursor: 'next' }),
  )
  const list = openList({ pollMs: 2_000 })
  onTestFinished(list.start())
  await until(() => list.items.value.length === 100)
  const lengths: number[] = []
  for (let reloads = 0; reloads < 30; reloads++) {
    newest += 90
    await vi.advanceTimersByTimeAsync(3_000)
    await until(() => list.items.value[0]?.id === `record-${newest}`)
    lengths.push(list.items.value.length)
  }

  expect(lengths.slice(0, 3)).toEqual([190, 280, 370])
  expect(Math.max(...lengths)).toBeLessThan(1_100)
  expect(list.hasMore.value).toBe(true)
})

test('a list that the user has scrolled down counts new records, and shows them at the top', async () => {
  let newest = 10
  await servePage((_, response) => respond(response, { items: toItems(newest, 1) }))
  const list = openList({ pollMs: 2_000 })
  onTestFinished(list.start())
  await until(() => list.items.value.length === 10)
  list.setView({ first: 4, count: 5 }, false)

  newest = 12
  await vi.advanceTimersByTimeAsync(4_500)
  await until(() => list.freshCount.value === 2)
  expect(list.items.value.length).toBe(10)

  list.setView({ first: 0, count: 5 }, true)
  await until(() => list.items.value.length === 12)
})

test('messages that keep coming reload less and less often, down to once in three seconds', async () => {
  const loadedAt: number[] = []
  const load = async () => void loadedAt.push(performance.now())
  const reload = createReload({ load, isAbout: () => false })
  onTestFinished(reload.stop)
  const askFor = async (ms: number): Promise<number[]> => {
    loadedAt.length = 0
    for (let asked = 0; asked < ms; asked += 100) {
      reload.request()
      await vi.advanceTimersByTimeAsync(100)
    }
    return loadedAt.slice(1).map((at, index) => at - (loadedAt[index] ?? 0))
  }
  expect(await askFor(11_000)).toEqual([1_000, 2_000, 3_000, 3_000])
  await vi.advanceTimersByTimeAsync(10_000)
  expect(await askFor(1_500)).toEqual([1_000])
})

test('a held list shows new records once when asked, and then counts them again', async () => {
  let newest = 10
  await servePage((_, response) => respond(response, { items: toItems(newest, 1) }))
  const list = openList({ pollMs: 2_000 })
  onTestFinished(list.start())
  await until(() => list.items.value.length === 10)
  list.switchPause()

  newest = 12
  list.showFresh()
  await until(() => list.items.value.length === 12)
  newest = 15
  await vi.advanceTimersByTimeAsync(4_500)
  await until(() => list.freshCount.value === 3)
  expect(list.items.value.length).toBe(12)
})

test('an open record of a list is updated, even when it is no longer on the first page', async () => {
  const open = toItem(4)
  let version = 1
  await servePage((request, response) => {
    const { pathname } = new URL(request.url ?? '', 'http://page')
    if (pathname.endsWith(`/${open.id}`)) respond(response, { ...open, version })
    else if (version === 1) respond(response, { items: [...toItems(10, 5), { ...open, version }] })
    else respond(response, { items: toItems(110, 11), nextCursor: 'next' })
  })
  const list = openList({ pollMs: 2_000, isMutable: true })
  onTestFinished(list.start())
  await until(() => list.items.value.length === 7)
  openRecord(open.id)

  version = 2
  await vi.advanceTimersByTimeAsync(4_500)
  await until(() => list.items.value.some((item) => item.version === 2))
})

test('a list keeps its records after an error, and recovers', async () => {
  let isBroken = false
  await servePage((_, response) => {
    if (isBroken) response.statusCode = 500
    respond(response, isBroken ? { message: 'The store is down.' } : { items: toItems(10, 1) })
  })
  const list = openList({ pollMs: 2_000 })
  onTestFinished(list.start())
  await until(() => list.items.value.length === 10)

  isBroken = true
  await vi.advanceTimersByTimeAsync(2_500)
  await until(() => list.error.value === 'The store is down.')
  expect(list.items.value.length).toBe(10)

  isBroken = false
  await vi.advanceTimersByTimeAsync(4_500)
  await until(() => list.error.value === undefined)
})

test('names all subscriptions of an organization with more than one page', async () => {
  const all = Array.from({ length: 150 }, (_, index) => ({
    id: `sub-${index}`,
    url: `https://${index}.example`,
  }))
  await servePage((request, response) => {
    const limit = Number(new URL(request.url ?? '', 'http://page').searchParams.get('limit') ?? 100)
    respond(response, { items: all.slice(0, limit) })
  })

  onTestFinished(followSubscriptions())

  await until(() => findSubscription('sub-0') !== undefined)
  expect(findSubscription('sub-149')?.url).toBe('https://149.example')
})

test('a late response does not bring back the subscriptions of an organization that the user has left', async () => {
  const responses: ServerResponse[] = []
  await servePage((_, response) => void responses.push(response))
  const leave = followSubscriptions()
  await until(() => responses.length === 1)
  leave()
  onTestFinished(followSubscriptions())
  await until(() => responses.length === 2)
  const [late, current] = responses.map((response, index) => () => {
    respond(response, { items: [{ id: `sub-${index}`, url: 'https://app.example' }] })
  })

  current?.()
  await until(() => findSubscription('sub-1') !== undefined)
  late?.()
  await settle()

  expect(findSubscription('sub-0')).toBeUndefined()
})

test('the live stream reconnects after 35 seconds of silence, and not while anything arrives', async () => {
  const streams: ServerResponse[] = []
  await servePage((_, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.write(':\n\n')
    streams.push(response)
  })
  let heard = 0
  onTestFinished(listen(() => (heard += 1)))
  onTestFinished(startLive())
  await until(() => streams.length === 1 && connection.value === 'connected')

  for (let count = 1; count <= 3; count++) {
    streams[0]?.write('event: event\ndata: {"subject":"call:1"}\n\n')
    await until(() => heard === count)
    await vi.advanceTimersByTimeAsync(30_000)
    await settle()
  }
  expect(streams.length).toBe(1)

  await vi.advanceTimersByTimeAsync(6_000)
  await until(() => connection.value === 'broken')
  await vi.advanceTimersByTimeAsync(1_000)
  await until(() => streams.length === 2 && connection.value === 'connected')
})

test('a stream that requires a token is not requested again until the user logs in', async () => {
  let requests = 0
  await servePage((_, response) => {
    requests += 1
    response.statusCode = 401
    respond(response, { message: 'The token is missing.' })
  })
  onTestFinished(() => logIn(''))
  onTestFinished(startLive())
  await until(() => isTokenRequired.value)
  await vi.advanceTimersByTimeAsync(10_000)
  await settle()
  expect(requests).toBe(1)

  logIn('t0ken')
  await until(() => requests === 2)
})
