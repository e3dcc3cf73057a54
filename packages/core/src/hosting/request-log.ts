import { InputError } from '../errors/operation-errors.ts'
import type { Page, PageRequest, RequestReported } from '../index.ts'

export type LoggedRequest = Omit<RequestReported, 'caller'> & {
  /** `null`, like the fields of the key, if the request had no valid key. */
  readonly organizationId: string | null
  readonly keyId: string | null
  readonly keyLabel: string | null
}

/** The fields that listed requests have; `text` is a part of the path or of the request id. @inline */
export type RequestFilter = {
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

/** Maximum number of characters of a path to keep and print. */
const maxPathLength = 200
const encoder = new TextEncoder()
const decoder = new TextDecoder()

/** Shortens a path. Copies the characters, because a slice would keep the whole request target in memory. */
export const shortenPath = (path: string): string => {
  const kept = path.length > maxPathLength ? `${path.slice(0, maxPathLength)}…` : path
  return decoder.decode(encoder.encode(kept))
}

const parseCursor = (cursor: string): number => {
  if (/^\d{1,15}$/.test(cursor)) return Number(cursor)
  throw new InputError([{ path: 'cursor', message: 'is not a cursor that this server returned' }])
}

const matches = (request: LoggedRequest, filter: RequestFilter): boolean => {
  const { organization, key, method, status, code, group, call, from, before, text } = filter
  const { startedAt } = request
  return (
    (organization === undefined || organization === request.organizationId) &&
    (key === undefined || key === request.keyId) &&
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

/**
 * Creates a log of the requests to the public API that this process responded to. It keeps the last `capacity` requests
 * in memory.
 */
export const createRequestLog = (capacity: number) => {
  const requests: LoggedRequest[] = []
  let count = 0
  let second = 0
  /** The organizations that got a 429 in the current second; `undefined` for requests without a valid key. */
  const limited = new Set<string | undefined>()

  const isRepeatedRefusal = ({ status, caller, startedAt }: RequestReported): boolean => {
    if (status !== 429) return false
    const now = Math.floor(startedAt / 1_000)
    if (now !== second) limited.clear()
    second = now
    const { size } = limited
    return limited.add(caller?.organization.id).size === size
  }

  return {
    /** Adds a request. Keeps only the first request with status 429 per organization and second. */
    add: (request: RequestReported): void => {
      if (isRepeatedRefusal(request)) return
      const { caller, path, ...facts } = request
      requests[count % capacity] = {
        ...facts,
        path: shortenPath(path),
        organizationId: caller?.organization.id ?? null,
        keyId: caller?.key.id ?? null,
        keyLabel: caller?.key.label ?? null,
      }
      count += 1
    },
    /** Removes a call's id from its requests, because the id may contain a customer's phone number. */
    forgetCall: (organizationId: string, callId: string): void => {
      for (const [index, each] of requests.entries()) {
        const isOfCall = each.organizationId === organizationId && each.callId === callId
        if (isOfCall) requests[index] = { ...each, callId: null }
      }
    },
    /** Returns the start of the last request with a key, or `null` if the log has none. */
    findLastUse: (organizationId: string, keyId: string): number | null =>
      requests.reduce<number | null>(
        (last, each) =>
          each.organizationId === organizationId && each.keyId === keyId
            ? Math.max(last ?? 0, each.startedAt)
            : last,
        null,
      ),
    /** Lists requests, newest first. */
    list: ({ cursor, limit, ...filter }: PageRequest & RequestFilter): Page<LoggedRequest> => {
      const start = cursor === undefined ? count : Math.min(count, parseCursor(cursor))
      const oldest = Math.max(0, count - capacity)
      const items: LoggedRequest[] = []
      let last = start
      for (let position = start - 1; position >= oldest; position -= 1) {
        const request = requests[position % capacity]
        if (request === undefined || !matches(request, filter)) continue
        if (items.length === limit) return { items, nextCursor: String(last) }
        items.push(request)
        last = position
      }
      return { items }
    },
  }
}

export type RequestLog = ReturnType<typeof createRequestLog>
