// The modules of the page read these while they are loaded.
import './page-globals.ts'

import type { ServerResponse } from 'node:http'
import { effect } from '@preact/signals'
import { h, render } from 'preact'
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import { connection, listen, startLive } from '../src/api/live.ts'
import { loadOrganizations, organizationId, organizations } from '../src/api/organization.ts'
import { reloadAll } from '../src/api/reload.ts'
import { send } from '../src/api/send.ts'
import { findSubscription, followSubscriptions } from '../src/api/subscriptions.ts'
import { useRecord } from '../src/components/use-record.ts'
import { createRecordList } from '../src/list/record-list.ts'
import { setParams } from '../src/state/route.ts'
import { isTokenRequired, logIn, loginReason, logOut } from '../src/state/session.ts'
import { switchMasking } from '../src/state/settings.ts'
import { respond, servePage, settle, until } from './page-globals.ts'

const toOrganization = (id: string) => ({
  id,
  callSummaries: 'automatic' as const,
  integrations: [],
  pstnNumbers: [],
  createdAt: '2026-01-01T00:00:00.000Z',
})

const openList = () =>
  createRecordList<{ id: string }>(
    {
      view: 'events',
      getId: ({ id }) => id,
      getTime: () => '2026-01-01T00:00:00.000Z',
      filters: [],
      columns: {},
      isAbout: () => false,
      Detail: () => null,
      empty: { title: '', text: '', commands: [] },
    },
    { organizationId: 'acme', query: {} },
  )

const isStream = (url = ''): boolean => url.includes('/stream')

const startStream = (response: ServerResponse): void => {
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  response.write(':\n\n')
}

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'performance'] })
  organizations.value = [toOrganization('acme')]
})

afterEach(() => {
  setParams({ organization: undefined })
  organizations.value = undefined
  loginReason.value = ''
  vi.useRealTimers()
})

test('an id with any characters is one segment of the path', async () => {
  const urls: string[] = []
  await servePage((request, response) => {
    urls.push(request.url ?? '')
    respond(response, {})
  })
  await send(['calls', 'a/b?c#d é'])

  expect(urls).toEqual(['/_wabakit/calls/a%2Fb%3Fc%23d%20%C3%A9'])
})

test('a request carries the token if there is one, and a content type if it has a body', async () => {
  const requests: unknown[] = []
  await servePage((request, response) => {
    const { authorization, 'content-type': type } = request.headers
    requests.push([request.method, authorization, type])
    respond(response, {})
  })
  onTestFinished(() => logIn(''))
  await send(['info'])
  await send(['faults'], { body: {} })
  logIn('t0ken')
  await send(['faults', 'f'], { method: 'DELETE' })

  expect(requests).toEqual([
    ['GET', undefined, undefined],
    ['POST', undefined, 'application/json'],
    ['DELETE', 'Bearer t0ken', undefined],
  ])
})

const issues = [{ path: 'url', message: 'must be https' }]

test.each([
  [JSON.stringify({ message: 'No.', issues }), { message: 'No.', issues }],
  ['{"message":"No."}', { message: 'No.', issues: [] }],
  ['{}', { message: '{}', issues: [] }],
  ['x'.repeat(400), { message: 'x'.repeat(300), issues: [] }],
  ['', { message: 'Conflict', issues: [] }],
])('the error of a response shows what its body says: %s', async (body, error) => {
  await servePage((_, response) => response.writeHead(409).end(body))
  await expect(send(['info'])).rejects.toMatchObject({ name: 'ApiError', status: 409, ...error })
})

test('a list shows that the server does not respond only until it is loaded, because the header shows it then', async () => {
  let isBroken = true
  await servePage((_, response) => {
    if (isBroken) response.destroy()
    else respond(response, { items: [{ id: 'a' }] })
  })
  const list = openList()
  onTestFinished(list.start())
  await until(() => list.error.value !== undefined)
  expect(list.error.value).toMatch('does not respond')
  isBroken = false
  reloadAll()
  await until(() => list.items.value.length === 1)
  isBroken = true
  reloadAll()
  await settle()

  expect([list.error.value, list.items.value.length]).toEqual([undefined, 1])
})

test('a response with status 401 asks for the token', async () => {
  await servePage((_, response) => {
    response.statusCode = 401
    respond(response, { message: 'The token is wrong.' })
  })
  await expect(send(['info'])).rejects.toThrow('The token is wrong.')

  expect(loginReason.value).toBe('The server requires its control token.')
})

test('a login says whether the token was never given, or is no longer accepted, and survives a late response', async () => {
  const held: (() => void)[] = []
  await servePage((_, response) => {
    held.push(() => {
      response.statusCode = 401
      respond(response, { message: 'The token is wrong.' })
    })
  })
  logIn('first')
  onTestFinished(() => logIn(''))
  const sent = [send(['info']), send(['info'])].map((each) => each.catch(() => {}))
  await until(() => held.length === 2)
  held[0]?.()
  await until(() => isTokenRequired.value)
  expect(loginReason.value).toMatch(/no longer accepts the token/)
  logIn('second')
  held[1]?.()
  await Promise.all(sent)
  expect(loginReason.value).toBe('')
})

test('the organization of a link is loaded, even if the list does not contain it', async () => {
  await servePage((request, response) => {
    if (request.url?.includes('/organizations/far')) respond(response, toOrganization('far'))
    else respond(response, { items: [toOrganization('acme')] })
  })
  setParams({ organization: 'far' })
  await loadOrganizations()

  expect(organizationId.value).toBe('far')
})

test.each([
  ['gone', null, true],
  ['retry', null, true],
  ['retry', '2026-01-01T00:00:00.000Z', false],
  ['delivered', '2026-01-01T00:00:00.000Z', true],
  ['delivered', null, false],
])('an attempt with the result %s at a subscription that fails since %s reloads it: %s', async (...row) => {
  const [outcome, failingSince, isReloaded] = row
  let stream: ServerResponse | undefined
  let requests = 0
  await servePage((request, response) => {
    if (isStream(request.url)) {
      startStream(response)
      stream = response
      return
    }
    requests += 1
    respond(response, { items: [{ id: 'sub', url: 'https://example.com', failingSince }] })
  })
  let heard = 0
  onTestFinished(startLive())
  await until(() => connection.value === 'connected')
  onTestFinished(followSubscriptions())
  onTestFinished(listen(() => (heard += 1)))
  await until(() => findSubscription('sub')?.failingSince === failingSince)
  await settle()
  const before = requests

  stream?.write(`event: attempt\ndata: ${JSON.stringify({ subscriptionId: 'sub', outcome })}\n\n`)
  await until(() => heard === 1)
  await vi.advanceTimersByTimeAsync(2_000)
  await settle()

  expect(requests > before).toBe(isReloaded)
})

test('a search continues until it has found half a page', async () => {
  let pages = 0
  await servePage((_, response) => {
    pages += 1
    const items = Array.from({ length: 9 }, (_, index) => ({ id: `${pages}-${index}` }))
    respond(response, { items, nextCursor: `${pages}` })
  })
  const list = openList()
  onTestFinished(list.start())
  await until(() => !list.isLoading.value)

  expect([pages, list.items.value.length, list.isSearching.value]).toEqual([6, 54, false])
})

test('a list that loads further records does not load them twice', async () => {
  const held: ServerResponse[] = []
  await servePage((request, response) => {
    if (request.url?.includes('cursor=')) held.push(response)
    else
      respond(response, {
        items: Array.from({ length: 60 }, (_, id) => ({ id: `${id}` })),
        nextCursor: 'next',
      })
  })
  const list = openList()
  onTestFinished(list.start())
  await until(() => !list.isLoading.value)
  const loading = [list.loadMore(), list.loadMore()]
  await until(() => held.length > 0)
  await settle()
  for (const response of held) respond(response, { items: [{ id: 'last' }] })
  await Promise.all(loading)

  expect([held.length, list.items.value.length]).toEqual([1, 61])
})

test('a list that is left while it loads cancels its request, and shows no error', async () => {
  let isCanceled = false
  let isRequested = false
  await servePage((_, response) => {
    isRequested = true
    response.on('close', () => {
      isCanceled = true
    })
  })
  const list = openList()
  const stop = list.start()
  await until(() => isRequested)
  stop()
  await until(() => isCanceled)
  await settle()

  expect(list.error.value).toBeUndefined()
})

test('a stream of the current organization ends when the page stops following it, and is not broken', async () => {
  let isCanceled = false
  const urls: unknown[] = []
  await servePage((request, response) => {
    urls.push(request.url)
    response.on('close', () => {
      isCanceled = true
    })
    startStream(response)
  })
  const stop = startLive()
  await until(() => connection.value === 'connected')
  stop()

  await until(() => isCanceled)
  await settle()
  expect([urls, connection.value]).toEqual([['/_wabakit/organizations/acme/stream'], 'connected'])
})

test('a stream is broken after 35 seconds without a response, but not while comments arrive', async () => {
  const streams: ServerResponse[] = []
  await servePage((_, response) => void streams.push(response))
  onTestFinished(startLive())
  await until(() => streams.length === 1)
  await vi.advanceTimersByTimeAsync(36_000)
  await until(() => connection.value === 'broken')
  await vi.advanceTimersByTimeAsync(1_000)
  await until(() => streams.length === 2)
  const [, stream] = streams
  if (stream !== undefined) startStream(stream)
  await until(() => connection.value === 'connected')
  for (let count = 0; count < 3; count++) {
    await vi.advanceTimersByTimeAsync(20_000)
    stream?.write(':\n\n')
    await settle()
  }

  expect([connection.value, streams.length]).toEqual(['connected', 2])
})

test('the token is forgotten with the tab or by logging out, and never stored for longer', () => {
  loginReason.value = 'The server requires its control token.'
  logIn('t0ken')
  onTestFinished(() => logIn(''))
  const read = () => [sessionStorage, localStorage].map((storage) => storage.getItem('wabakit-control-token'))
  expect([read(), isTokenRequired.value]).toEqual([['t0ken', null], false])
  logOut()
  expect([read(), isTokenRequired.value]).toEqual([['', null], true])
})

test('masking is switched on and off, and remembered by the browser', () => {
  const read = () => localStorage.getItem('wabakit-masking')
  expect(read()).toBe('off')
  switchMasking()
  expect(read()).toBe('on')
  switchMasking()
  expect(read()).toBe('off')
})

test('a page without an organization in its address shows the first one, after one request', async () => {
  const urls: unknown[] = []
  await servePage((request, response) => {
    urls.push(request.url)
    respond(response, { items: ['acme', 'other'].map(toOrganization) })
  })
  setParams({ organization: undefined })
  await loadOrganizations()
  expect([organizationId.value, location.search]).toEqual(['acme', '?organization=acme'])
  expect(urls).toEqual(['/_wabakit/organizations?limit=1000'])
})

/** Opens a part of the page that shows a record, and returns what it has shown, the latest last. */
const openPart = () => {
  const seen: (readonly [value: string | undefined, problem: string])[] = []
  const Part = ({ id }: { readonly id: string }) => {
    const { value, problem } = useRecord(
      { load: () => send<{ id: string }>(['events', id]), pollMs: 5_000 },
      [id],
    )
    seen.push([value?.id, problem])
    return null
  }
  const page = { childNodes: [] } as unknown as Parameters<typeof render>[1]
  /** Shows the record with this id or, without one, closes the part. Its effects run after the next frame. */
  const show = async (id?: string): Promise<void> => {
    render(id === undefined ? null : h(Part, { id }), page)
    await vi.advanceTimersByTimeAsync(100)
  }
  return { seen, show }
}

test.each(['its record', 'its error'])(
  'a response that arrives after that of the next record does not show %s',
  async (late) => {
    const held = new Map<string, ServerResponse>()
    await servePage(({ url = '' }, response) => void held.set(url.replace('/_wabakit/events/', ''), response))
    const { seen, show } = openPart()
    for (const id of ['first', 'second']) {
      await show(id)
      await until(() => held.has(id))
    }
    const [first, second] = [held.get('first'), held.get('second')]
    if (second !== undefined) respond(second, { id: 'second' })
    await until(() => seen.at(-1)?.[0] === 'second')
    if (first !== undefined && late === 'its error') first.statusCode = 500
    if (first !== undefined) respond(first, { id: 'first', message: 'It was removed.' })
    await settle()

    expect(seen.at(-1)).toEqual(['second', ''])
    await show()
  },
)

test.each([
  ['once, when the stream connects', 1],
  ['without a stream that does not connect, and again when it has', 2],
])('a page that is opened loads each part %s', async (_, times) => {
  let stream: ServerResponse | undefined
  const urls: unknown[] = []
  await servePage((request, response) => {
    if (isStream(request.url)) stream = response
    else {
      urls.push(request.url)
      respond(response, { items: [] })
    }
  })
  onTestFinished(startLive())
  onTestFinished(followSubscriptions())
  const list = openList()
  onTestFinished(list.start())
  const { show } = openPart()
  await show('event')
  await until(() => stream !== undefined)
  await settle()
  expect(urls).toEqual([])
  if (times === 2) {
    await vi.advanceTimersByTimeAsync(1_000)
    await until(() => urls.length === 3)
    await until(() => !list.isLoading.value)
    await settle()
  }

  if (stream !== undefined) startStream(stream)
  await until(() => connection.value === 'connected')
  await until(() => urls.length === 3 * times)
  await settle()
  expect(urls.length).toBe(3 * times)
  await show()
})

test('a part of the page keeps its record after an error, shows the error until it is over, and asks no more when closed', async () => {
  let isBroken = false
  let requests = 0
  await servePage((_, response) => {
    requests += 1
    response.statusCode = isBroken ? 500 : 200
    respond(response, { id: 'event', message: 'The store is down.' })
  })
  const { seen, show } = openPart()
  await show('event')
  for (const problem of ['', 'The store is down.', '']) {
    isBroken = problem !== ''
    await vi.advanceTimersByTimeAsync(6_000)
    await until(() => seen.at(-1)?.[0] === 'event' && seen.at(-1)?.[1] === problem)
  }
  await show()
  await settle()
  const before = requests
  reloadAll()
  await vi.advanceTimersByTimeAsync(20_000)
  await settle()

  expect(requests).toBe(before)
})

test('an organization in the address needs no list before its records are loaded', async () => {
  await servePage((_, response) =>
    respond(response, { items: [toOrganization('other'), toOrganization('acme')] }),
  )
  organizations.value = undefined
  setParams({ organization: 'acme' })
  const seen: unknown[] = []
  onTestFinished(effect(() => void seen.push(organizationId.value)))
  await loadOrganizations()

  expect(seen).toEqual(['acme'])
})

test('a link to an organization that does not exist shows none, rather than another one', async () => {
  await servePage((request, response) => {
    if (request.url?.includes('/organizations/gone')) response.statusCode = 404
    respond(response, { items: [toOrganization('acme')] })
  })
  setParams({ organization: 'gone' })
  await loadOrganizations()

  expect([organizationId.value, organizations.value?.map(({ id }) => id)]).toEqual([undefined, ['acme']])
})
