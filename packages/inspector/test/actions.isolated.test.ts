// The modules of the page read these while they are loaded.
import './page-globals.ts'

import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import { cancel, copyAsCurl, listCopyItems } from '../src/actions/delivery-actions.ts'
import { exportPage } from '../src/actions/export-timeline.ts'
import { resend, retryNow } from '../src/actions/resend.ts'
import { enable } from '../src/actions/subscription-actions.tsx'
import { organizations, sendInParts } from '../src/api/organization.ts'
import { createReload, perform, startPolling } from '../src/api/reload.ts'
import { info } from '../src/api/send.ts'
import {
  closeRecord,
  currentId,
  firstInView,
  leaveRow,
  listedIds,
  openId,
  openRecord,
  reachFirst,
  reachLast,
  step,
} from '../src/state/current-record.ts'
import { notices, notify } from '../src/state/notices.ts'
import { getParam, navigate, setParams, toLink, view, views } from '../src/state/route.ts'
import { masking } from '../src/state/settings.ts'
import { numberFilter } from '../src/views/filters.ts'
import { respond, servePage, settle, until } from './page-globals.ts'

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'performance'] })
  const createdAt = '2026-01-01T00:00:00.000Z'
  organizations.value = [
    { id: 'acme', callSummaries: 'automatic', integrations: [], pstnNumbers: [], createdAt },
  ]
})

afterEach(() => {
  organizations.value = undefined
  notices.value = []
  vi.useRealTimers()
})

const listNotices = () => notices.value.map(({ text, tone }) => [tone, text])

/** Serves a delivery with two attempts, which gets a third one once it is resent and asked for again. */
const serveDelivery = async (resent: number, last: object) => {
  const requests: string[] = []
  await servePage((request, response) => {
    const { pathname } = new URL(request.url ?? '', 'http://page')
    requests.push(`${request.method} ${pathname}`)
    if (pathname.endsWith('/resend')) return respond(response, { resent })
    if (!pathname.endsWith('/attempts')) return respond(response, { id: 'dlv', attempts: 2 })
    const reads = requests.filter((each) => each.endsWith('/attempts')).length
    const known = [
      { number: 1, status: 500, succeeded: false },
      { number: 2, status: 200, succeeded: true },
    ]
    respond(response, { items: reads < 2 ? known : [...known, { number: 3, ...last }] })
  })
  return requests
}

test.each([
  [{ status: 200, succeeded: true }, 'good', 'Delivered: the endpoint responded with 200.'],
  [{ status: 503, succeeded: false }, 'bad', 'The attempt failed again: 503.'],
  [
    { status: 401, succeeded: false, diagnosis: { text: 'The endpoint found no valid signature.' } },
    'bad',
    'The attempt failed again: 401. The endpoint found no valid signature.',
  ],
  [{ status: null, error: 'no response', succeeded: false }, 'bad', 'The attempt failed again: no response.'],
])('a resend reports the attempt that follows it, and none from before: %j', async (last, tone, text) => {
  await serveDelivery(1, last)
  let loads = 0
  const reload = createReload({ load: async () => void loads++, isAbout: () => false })
  onTestFinished(reload.stop)
  const resending = resend('dlv')
  await until(() => notices.value.length === 1)
  for (let count = 0; count < 2; count++) {
    expect(listNotices()).toEqual([['plain', 'Resent. Waiting for the response…']])
    await settle()
    await vi.advanceTimersByTimeAsync(400)
    await settle()
  }
  await resending
  expect([listNotices().at(-1), loads]).toEqual([[tone, text], 2])
})

test('a resend that changed nothing says so, and waits for no attempt', async () => {
  const requests = await serveDelivery(0, {})
  await resend('dlv')
  expect(listNotices()).toEqual([['bad', expect.stringContaining('Not resent')]])
  expect(requests.filter((each) => each.endsWith('/attempts'))).toEqual([])
})

test('a request in parts sends each cursor, and ends without one', async () => {
  const bodies: unknown[] = []
  await servePage(async (request, response) => {
    let text = ''
    for await (const chunk of request) text += chunk
    bodies.push(JSON.parse(text))
    const next = { 1: 'second', 2: 'third' }[bodies.length]
    respond(response, { resent: bodies.length, ...(next !== undefined && { nextCursor: next }) })
  })
  const resent: number[] = []
  for await (const part of sendInParts<{ resent: number }>(['deliveries', 'resend'], { all: true })) {
    resent.push(part.resent)
  }
  expect(resent).toEqual([1, 2, 3])
  expect(bodies).toEqual([{ all: true }, { all: true, cursor: 'second' }, { all: true, cursor: 'third' }])
})

const subscription = { id: 'sub' } as Parameters<typeof enable>[0]

test.each<[string, () => Promise<void>, string, object]>([
  ['a retry', () => retryNow('dlv'), 'POST deliveries/dlv/retry', {}],
  ['a cancellation', () => cancel('dlv'), 'POST deliveries/dlv/cancel', {}],
  ['a resend', () => resend('dlv'), 'POST deliveries/dlv/resend', { newWebhookId: false }],
  [
    'a resend with a new id',
    () => resend('dlv', { newWebhookId: true }),
    'POST deliveries/dlv/resend',
    { newWebhookId: true },
  ],
  ['enabling', () => enable(subscription), 'PATCH subscriptions/sub', { enabled: true }],
])('%s is one request about the current organization, and reports what it did', async (_, act, ...sent) => {
  const requests: unknown[] = []
  await servePage(async (request, response) => {
    let text = ''
    for await (const chunk of request) text += chunk
    const path = request.url?.replace('/_wabakit/organizations/acme/', '')
    if (request.method !== 'GET') requests.push(`${request.method} ${path}`, JSON.parse(text))
    const items = [{ number: 3, status: 200, succeeded: true }]
    respond(response, { attempts: 2, resent: 1, items })
  })
  const acting = act()
  await until(() => notices.value.length > 0)
  await vi.advanceTimersByTimeAsync(400)
  await acting
  expect(requests).toEqual(sent)
  expect(listNotices()[0]?.[0]).not.toBe('bad')
})

test('an action that succeeds reloads what is in view, and one that fails only says why', async () => {
  let loads = 0
  const reload = createReload({ load: async () => void loads++, isAbout: () => false })
  await perform(
    async () => 3,
    (count) => `Resent ${count}.`,
  )
  await settle()
  expect([loads, listNotices()]).toEqual([1, [['good', 'Resent 3.']]])

  await perform(() => Promise.reject(new Error('It was removed.')), 'Done.')
  await settle()
  expect([loads, listNotices().at(-1)]).toEqual([1, ['bad', 'It was removed.']])
  reload.stop()
})

test('the last three notices are shown, each for six seconds', async () => {
  for (const text of ['a', 'b', 'c', 'd']) notify(text)
  expect(notices.value.map(({ text }) => text)).toEqual(['b', 'c', 'd'])
  await vi.advanceTimersByTimeAsync(3_000)
  notify('e')
  await vi.advanceTimersByTimeAsync(3_000)
  expect(notices.value.map(({ text }) => text)).toEqual(['e'])
})

test('a parameter of the address leaves the others, and an empty one is removed', () => {
  setParams({ status: 'pending', text: 'a&b' })
  setParams({ status: undefined, id: 'evt_1' })
  expect([getParam('status'), getParam('text'), getParam('id')]).toEqual(['', 'a&b', 'evt_1'])
  setParams({ text: undefined, id: '' })
  expect(location.search).not.toMatch(/text|id=/)
})

test('the selection moves by rows from the first one in view, within the list, and moves an open record', () => {
  onTestFinished(() => {
    closeRecord()
    leaveRow()
    listedIds.value = []
    firstInView.value = 0
  })
  listedIds.value = ['a', 'b', 'c']
  firstInView.value = 1
  const moves = [() => step(1), () => step(1), () => step(1), () => step(-5), reachLast, reachFirst]
  const seen = moves.map((move) => {
    move()
    return currentId.value
  })
  expect([seen, openId.value]).toEqual([['b', 'c', 'c', 'a', 'c', 'a'], ''])

  openRecord('b')
  step(1)
  expect(openId.value).toBe('c')
  closeRecord()
  expect([openId.value, currentId.value]).toEqual(['', 'c'])
})

test('a link keeps the organization and drops the filters, and the browser handles it with a modifier', () => {
  onTestFinished(() => {
    navigate('deliveries')
    setParams({ organization: undefined })
  })
  setParams({ organization: 'acme', status: 'pending' })
  const { href, onClick } = toLink('calls', { id: 'c 1' })
  expect(href).toBe('/_wabakit/inspector/calls?organization=acme&id=c+1')
  const stop = vi.fn()
  const click = (keys: object) =>
    onClick({ preventDefault: stop, stopPropagation: stop, ...keys } as unknown as MouseEvent)
  for (const keys of [{ metaKey: true }, { ctrlKey: true }]) click(keys)
  expect([view.value, stop.mock.calls.length]).toEqual(['deliveries', 0])
  click({})
  expect([view.value, getParam('id'), getParam('status'), stop.mock.calls.length]).toEqual([
    'calls',
    'c 1',
    '',
    2,
  ])
})

test('the sidebar can have every view except customers, of which there is no list', () => {
  const listed = 'overview deliveries events calls groups subscriptions requests api-keys mock'
  expect(views).toEqual(listed.split(' '))
})

test('a closed record leaves nothing of itself in the address, and the filters of its list', () => {
  setParams({ status: 'pending' })
  openRecord('dlv_1')
  setParams({ attempt: '2', tab: 'body', delivery: 'dlv_2' })
  closeRecord()
  expect([...new URLSearchParams(location.search)]).toEqual([['status', 'pending']])
})

test('a delivery is copied as the command of its last attempt', async () => {
  const copied: string[] = []
  vi.stubGlobal('navigator', { clipboard: { writeText: async (text: string) => void copied.push(text) } })
  onTestFinished(() => void vi.unstubAllGlobals())
  await servePage((request, response) => {
    const [, number] = /attempts\/(\d)\/request$/.exec(request.url ?? '') ?? []
    if (number === undefined) return respond(response, { items: [{ number: 1 }, { number: 2 }] })
    respond(response, { url: `https://a.example/${number}`, headers: {}, hiddenHeaders: [], body: '{}' })
  })
  await copyAsCurl('dlv')
  await copyAsCurl('dlv', 1)
  expect(copied.map((text) => text.split(' \\')[0])).toEqual([
    "curl 'https://a.example/2'",
    "curl 'https://a.example/1'",
  ])
})

test('a delivery without an attempt is not copied, and the user learns why', async () => {
  await servePage((_, response) => respond(response, { items: [] }))
  await copyAsCurl('dlv')
  expect(listNotices()).toEqual([['bad', expect.stringContaining('There has been no attempt yet.')]])
})

test('an event is copied as what its menu item names', async () => {
  const copied: string[] = []
  vi.stubGlobal('navigator', { clipboard: { writeText: async (text: string) => void copied.push(text) } })
  onTestFinished(() => void vi.unstubAllGlobals())
  const event = { name: 'CALL_ENDED', payload: '{"event":"CALL_ENDED"}' } as Awaited<
    ReturnType<Parameters<typeof listCopyItems>[0]>
  >
  const items = listCopyItems(async () => event)
  for (const { onSelect } of items) await onSelect()
  expect(items.map(({ label }, index) => [label, copied[index]?.split('\n')[0]])).toEqual([
    ['Copy as JSON fixture', '{'],
    ['Copy as vitest test', "import { expect, test } from 'vitest'"],
  ])
  expect(listNotices()).toEqual([
    ['good', 'Copied as a JSON fixture.'],
    ['good', 'Copied as a vitest test.'],
  ])
})

/** Lets the page save files, and returns what it does to save them. */
const followDownloads = () => {
  const pages: Blob[] = []
  const links: object[] = []
  const create = vi.spyOn(URL, 'createObjectURL').mockImplementation((page) => {
    if (page instanceof Blob) pages.push(page)
    return 'blob:page'
  })
  const revoke = vi.spyOn(URL, 'revokeObjectURL').mockImplementation(() => {})
  Object.assign(document, {
    querySelector: () => null,
    styleSheets: [],
    createElement: () => ({
      click(this: object) {
        links.push({ ...this })
      },
    }),
  })
  onTestFinished(() => {
    create.mockRestore()
    revoke.mockRestore()
    masking.value = 'off'
  })
  return { links, revoke, readPages: () => Promise.all(pages.map((page) => page.text())) }
}

const at = '2026-01-01T00:00:00.000Z'

const toTimeline = (...entries: object[]) =>
  ({
    subject: 'call:c1',
    now: at,
    entries: entries.map((entry) => ({ at, marks: [], eventName: 'CALL_ENDED', ...entry })),
  }) as unknown as Parameters<typeof exportPage>[0]

test('an exported timeline has a row for every entry, and is saved under the name of its subject', async () => {
  const { links, revoke, readPages } = followDownloads()
  const marks = [{ kind: 'gap', text: 'It never arrived.' }]
  const attempt = { number: 1, url: 'https://a.example/', status: 500, error: null, responseBody: '<no>' }
  await exportPage(
    toTimeline(
      { kind: 'request', request: { method: 'POST', path: '/wa-group', status: 200 } },
      { kind: 'change', state: 'ended' },
      { kind: 'event', event: { name: 'CALL_ENDED', payload: '{}' } },
      { kind: 'attempt', attempt },
      {
        kind: 'attempt',
        attempt: { ...attempt, number: 2, status: null, error: 'no response', responseBody: null },
      },
      { kind: 'next_attempt', number: 3 },
      { kind: 'finished', status: 'exhausted', marks },
    ),
  )
  const [page = ''] = await readPages()
  const rows = [...page.matchAll(/<td>[^<]*<\/td><td>([^<]*)<\/td><td>([^<]*)<\/td>/g)]
  expect(rows.map(([, what, detail]) => [what, detail?.trim()])).toEqual([
    ['POST /wa-group', '200'],
    ['state', 'ended'],
    ['CALL_ENDED', '{}'],
    ['CALL_ENDED, attempt 1', 'https://a.example/: 500 &#60;no&#62;'],
    ['CALL_ENDED, attempt 2', 'https://a.example/: no response'],
    ['CALL_ENDED', 'attempt 3 is due'],
    ['CALL_ENDED', 'exhausted It never arrived.'],
  ])
  expect(links).toEqual([expect.objectContaining({ href: 'blob:page', download: 'call-c1.html' })])
  expect(revoke.mock.calls).toEqual([['blob:page']])
})

test('an exported timeline has no personal data while masking is on', async () => {
  const { readPages } = followDownloads()
  const personal = '{"customerNumber":"+15550199001"}'
  const attempt = { number: 1, url: 'https://a.example/', status: 500, responseBody: personal }
  const timeline = toTimeline(
    { kind: 'event', event: { name: 'CALL_ENDED', payload: personal } },
    { kind: 'attempt', attempt },
  )
  for (const mode of ['off', 'on']) {
    masking.value = mode
    await exportPage(timeline)
  }
  expect((await readPages()).map((text) => text.split('+15550199001').length - 1)).toEqual([2, 0])
})

test('lists can be filtered by the numbers of both channels', () => {
  const createdAt = '2026-01-01T00:00:00.000Z'
  const integration = { wabaNumber: '+15550100001', enabled: true, joinApprovalMode: 'auto_approve' } as const
  organizations.value = [
    {
      id: 'acme',
      callSummaries: 'automatic',
      createdAt,
      integrations: [integration],
      pstnNumbers: ['+15550100002'],
    },
  ]
  const choices = numberFilter.kind === 'choice' ? numberFilter.choices() : []
  expect(choices.map(({ value }) => value)).toEqual(['+15550100001', '+15550100002'])
})

test.each([
  ['memory', 0],
  ['postgresql', 1],
] as const)(
  'a page of a server on %s reloads %i times in six seconds without a message',
  async (database, expected) => {
    info.value = { version: '0.0.0', role: 'all', can: [], database }
    let loads = 0
    const reload = createReload({ load: async () => void loads++, isAbout: () => false })
    const stop = startPolling()
    onTestFinished(() => {
      stop()
      reload.stop()
      info.value = undefined
    })
    await vi.advanceTimersByTimeAsync(6_000)
    expect(loads).toBe(expected)
  },
)
