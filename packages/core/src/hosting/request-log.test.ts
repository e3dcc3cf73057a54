import { expect, test } from 'vitest'
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
  isRepeated: false,
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

test('keeps only the beginning of a path', () => {
  const log = createRequestLog(4)
  log.add(report('a', { path: `/${'x'.repeat(16_000)}` }))

  expect(log.list({ limit: 9 }).items[0]?.path).toHaveLength(201)
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
