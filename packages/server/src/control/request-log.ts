import type { Page, RequestReported } from '@wabakit/core'
import { InputError } from '@wabakit/core'

/** Selects requests. Omitted conditions do not restrict. */
export type RequestSelection = {
  readonly organization?: string | undefined
  readonly key?: string | undefined
  readonly method?: string | undefined
  readonly status?: number | undefined
  readonly code?: string | undefined
  readonly group?: string | undefined
  readonly call?: string | undefined
  readonly from?: number | undefined
  readonly before?: number | undefined
  readonly text?: string | undefined
}

type RequestQuery = RequestSelection & { readonly cursor?: string | undefined; readonly limit: number }

/** The last requests of the public API that this process responded to. */
export type RequestLog = {
  add(request: RequestReported): void
  /** Lists requests, newest first. */
  list(query: RequestQuery): Page<RequestReported>
}

const matches = (request: RequestReported, selection: RequestSelection): boolean => {
  const { organization, key, method, status, code, group, call, from, before, text } = selection
  const { caller, startedAt } = request
  return (
    (organization === undefined || organization === caller?.organization.id) &&
    (key === undefined || key === caller?.key.id) &&
    (method === undefined || method === request.method) &&
    (status === undefined || status === request.status) &&
    (code === undefined || code === request.code) &&
    (group === undefined || group === request.groupId) &&
    (call === undefined || call === request.callId) &&
    (from === undefined || startedAt >= from) &&
    (before === undefined || startedAt < before) &&
    (text === undefined || `${request.path} ${request.requestId}`.includes(text))
  )
}

const parsePosition = (cursor: string): number => {
  if (/^\d{1,15}$/.test(cursor)) return Number(cursor)
  throw new InputError([{ path: 'cursor', message: 'is not a cursor that this server returned' }])
}

/** Creates a log that keeps the last `capacity` requests in memory. */
export const createRequestLog = (capacity: number): RequestLog => {
  const requests: RequestReported[] = []
  let count = 0
  return {
    add: (request) => {
      requests[count % capacity] = request
      count += 1
    },
    list: ({ cursor, limit, ...selection }) => {
      const start = cursor === undefined ? count : Math.min(count, parsePosition(cursor))
      const oldest = Math.max(0, count - capacity)
      const items: RequestReported[] = []
      let last = start
      for (let position = start - 1; position >= oldest; position -= 1) {
        const request = requests[position % capacity]
        if (request === undefined || !matches(request, selection)) continue
        if (items.length === limit) return { items, nextCursor: String(last) }
        items.push(request)
        last = position
      }
      return { items }
    },
  }
}
