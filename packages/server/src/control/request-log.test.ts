import type { RequestReported } from '@wabakit/core'
import { expect, test } from 'vitest'
import { createRequestLog } from './request-log.ts'

const report = (requestId: string): RequestReported => ({
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
})

test('keeps the last requests only, and pages through them while more arrive', () => {
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
