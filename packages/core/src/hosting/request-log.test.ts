import { expect, test } from 'vitest'
import { buildApiKey, buildOrganization } from '../../test/store-cases/records.ts'
import type { RequestReported } from '../index.ts'
import { createRequestLog } from './request-log.ts'

const report = (requestId: string, facts: Partial<RequestReported> = {}): RequestReported => ({
  requestId,
  startedAt: 0,
  durationMs: 0,
  method: 'GET',
  path: '/',
  endpoint: null,
  caller: null,
  status: 200,
  code: null,
  groupId: null,
  callId: null,
  address: null,
  userAgent: null,
  query: null,
  keyFingerprint: null,
  keyFault: null,
  isRepeated: false,
  requestBody: null,
  responseBody: null,
  ...facts,
})

test('keeps only the last requests, and pages through them while more arrive', () => {
  const log = createRequestLog(4)
  for (const id of ['a', 'b', 'c', 'd', 'e']) log.add(report(id))
  const list = (limit: number, cursor?: string) => {
    const { items, nextCursor } = log.list({ limit, cursor })
    return { ids: items.map(({ requestId }) => requestId), nextCursor }
  }

  const first = list(2)
  log.add(report('f'))
  const second = list(2, first.nextCursor)

  expect(first.ids).toEqual(['e', 'd'])
  expect(second).toEqual({ ids: ['c'], nextCursor: undefined })
  expect(list(9).ids).toEqual(['f', 'e', 'd', 'c'])
})

test('pages of any size contain each request once, and only a page before others has a cursor', () => {
  const log = createRequestLog(12)
  const ids = Array.from({ length: 15 }, (_, index) => `${index + 1}`)
  for (const id of ids) log.add(report(id, { status: Number(id) % 3 === 0 ? 404 : 200 }))
  const newest = ids.slice(-12).toReversed()
  for (const [filter, expected] of [
    [{}, newest],
    [{ status: 404 }, newest.filter((id) => Number(id) % 3 === 0)],
  ] as const) {
    for (const limit of [1, 2, 3, expected.length - 1, expected.length, expected.length + 1]) {
      const pages: string[][] = []
      for (let cursor: string | undefined, isMore = true; isMore; ) {
        const page = log.list({ ...filter, limit, cursor })
        pages.push(page.items.map(({ requestId }) => requestId))
        cursor = page.nextCursor
        isMore = cursor !== undefined
      }
      expect([pages.flat(), pages.length]).toEqual([expected, Math.ceil(expected.length / limit)])
    }
  }
})

test('keeps only the beginning of a path, a query and a user agent', () => {
  const log = createRequestLog(4)
  const long = 'x'.repeat(16_000)
  log.add(report('a', { path: long, userAgent: long, query: long }))

  const { path, userAgent, query } = log.find('a') ?? {}
  expect([path, userAgent, query].map((text) => text?.length)).toEqual([201, 201, 201])
})

test('forgets requests before a time, and still pages through the others', () => {
  const log = createRequestLog(9)
  for (const startedAt of [1, 2, 3, 4]) log.add(report(`${startedAt}`, { startedAt, address: '127.0.0.1' }))
  log.forgetBefore(3)
  expect(log.list({ limit: 9 }).items.map(({ requestId }) => requestId)).toEqual(['4', '3'])
  expect([log.find('2'), log.find('3')?.address]).toEqual([undefined, '127.0.0.1'])
})

test('keeps one 429 per organization and second', () => {
  const log = createRequestLog(9)
  const organization = { id: 'acme', revision: 1, callSummaries: 'manual', createdAt: 0 } as const
  const key = { id: 'key_1', organizationId: 'acme', label: 'main', hash: '', createdAt: 0 } as const
  const caller = {
    organization: { ...organization, integrations: [], pstnNumbers: [] },
    key: { ...key, wabaNumbers: 'all' },
  } as const
  for (const startedAt of [0, 1, 999, 1_000]) {
    log.add(report(`stranger ${startedAt}`, { status: 429, startedAt }))
    log.add(report(`acme ${startedAt}`, { status: 429, startedAt, caller }))
  }

  expect(log.list({ limit: 9 }).items.map(({ requestId }) => requestId)).toEqual([
    'acme 1000',
    'stranger 1000',
    'acme 0',
    'stranger 0',
  ])
})

test('keeps the bodies of the last 1,000 requests, and at most 4,096 characters of each', () => {
  const log = createRequestLog(2_000)
  log.add(report('first', { requestBody: '{"a":1}', responseBody: 'x'.repeat(9_999) }))
  expect(log.find('first')).toMatchObject({ requestBody: '{"a":1}', responseBody: `${'x'.repeat(4_096)}…` })
  for (let index = 0; index < 1_000; index++) log.add(report(`later ${index}`))
  expect(log.find('first')).toMatchObject({ requestBody: null, responseBody: null })
  expect(log.find('none')).toBeUndefined()
})

test('keeps the bodies of the last 1,000 requests, even after the first requests have been replaced', () => {
  const log = createRequestLog(2_000)
  for (let index = 0; index < 3_500; index++) log.add(report(`${index}`, { requestBody: `${index}` }))
  const bodies = [1_500, 2_499, 2_500, 3_499].map((index) => log.find(`${index}`)?.requestBody)
  expect(bodies).toEqual([null, null, '2500', '3499'])
})

test('lists requests without a valid key besides those of an organization, or alone', () => {
  const log = createRequestLog(10)
  const organization = { id: 'acme' }
  const caller = { organization, key: { id: 'key_1', label: '' } } as RequestReported['caller']
  log.add(report('stranger', { status: 401 }))
  log.add(report('acme', { caller }))
  const list = (filter: object) => log.list({ limit: 10, ...filter }).items.map(({ requestId }) => requestId)

  expect(list({})).toEqual(['acme', 'stranger'])
  expect(list({ organization: 'acme' })).toEqual(['acme'])
  expect(list({ organization: 'acme', unidentified: 'include' })).toEqual(['acme', 'stranger'])
  expect(list({ organization: 'other', unidentified: 'include' })).toEqual(['stranger'])
  expect(list({ unidentified: 'only' })).toEqual(['stranger'])
})

test("forgets a call of one organization, and keeps another's call with the same id", () => {
  const log = createRequestLog(9)
  for (const id of ['acme', 'other']) {
    const organization = buildOrganization({ id })
    const caller = { organization, key: buildApiKey({ organizationId: id }) }
    log.add(report(id, { caller, callId: 'c1', responseBody: '{"callId":"c1"}' }))
  }
  log.add(report('without a valid key', { callId: 'c1' }))
  log.forgetCall('acme', 'c1')
  expect(log.list({ limit: 9 }).items.map(({ organizationId, callId }) => [organizationId, callId])).toEqual([
    [null, null],
    ['other', 'c1'],
    ['acme', null],
  ])
  expect(['acme', 'other'].map((id) => log.find(id)?.responseBody)).toEqual([null, '{"callId":"c1"}'])
})

test('forgets the requests of a removed organization, and keeps those of one that was created later with its id', () => {
  const log = createRequestLog(9)
  for (const createdAt of [1, 2]) {
    const caller = { organization: buildOrganization({ createdAt }), key: buildApiKey() }
    log.add(report(`${createdAt}`, { caller, responseBody: '{}' }))
  }
  log.forgetOrganization('acme', 1)
  expect(log.list({ limit: 9 }).items.map(({ requestId }) => requestId)).toEqual(['2'])
  expect(log.find('2')?.responseBody).toBe('{}')
  log.forgetOrganization('acme')
  expect(log.list({ limit: 9 }).items).toEqual([])
})

test('finds the last use of a key, and not that of another organization with a key of the same id', () => {
  const log = createRequestLog(9)
  for (const [id, startedAt] of [
    ['acme', 2],
    ['acme', 1],
    ['other', 3],
  ] as const) {
    const key = buildApiKey({ organizationId: id, id: 'key_1' })
    log.add(report(`${startedAt}`, { caller: { organization: buildOrganization({ id }), key }, startedAt }))
  }
  expect(['acme', 'other', 'third'].map((id) => log.findLastUse(id, 'key_1'))).toEqual([2, 3, null])
})
