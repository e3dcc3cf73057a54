import { endpoints } from '@wabakit/contract'
import type { Page, PageRequest, RequestDescribed, RequestReported } from '../index.ts'
import { parsePosition } from '../storage/cursors.ts'

export type LoggedRequest = Omit<RequestDescribed, 'caller' | 'requestBody' | 'responseBody'> & {
  /** `null` if the request had no valid key, or it was not looked up. The three fields below are then `null`, too. */
  readonly organizationId: string | null
  /** Tells the organization apart from one that is created with its id after its removal. */
  readonly organizationCreatedAt: number | null
  readonly keyId: string | null
  readonly keyLabel: string | null
}

/** The conditions for listing requests. `text` matches a part of their texts and ids, ignoring case. @inline */
export type RequestFilter = {
  readonly organization?: string | undefined
  /** Adds requests without a valid key to those of the organization, or selects only them. */
  readonly unidentified?: 'include' | 'only' | undefined
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

/**
 * The first 4,096 characters of the bodies of a request and its response, followed by `…` if there are more. `null` if
 * there was none, if it was not read or is not UTF-8, or if it is no longer kept.
 */
export type LoggedBodies = Pick<RequestReported, 'requestBody' | 'responseBody'>

/** Replaces the facts of a request that an erasure removes. */
export const nothingPersonal = { callId: null, address: null, userAgent: null, query: null } as const

/** The number of requests to keep. */
const requestCapacity = 10_000

/** The number of requests whose bodies are kept. */
const bodyCapacity = 1_000

/** Maximum number of characters of a body to keep. */
const maxBodyLength = 4_096

/** Maximum number of characters of a path to keep and print, and of a query and a user agent. */
const maxPathLength = 200
const encoder = new TextEncoder()
const decoder = new TextDecoder()

/** Shortens a text. Copies the characters, because a slice would keep the whole text in memory. */
const shorten = (text: string, maxLength: number): string => {
  const kept = text.length > maxLength ? `${text.slice(0, maxLength)}…` : text
  return decoder.decode(encoder.encode(kept))
}

/** Shortens a path for a log. */
export const shortenPath = (path: string): string => shorten(path, maxPathLength)

const shortenBody = (body: string | null): string | null =>
  body !== null && body.length > maxBodyLength ? shorten(body, maxBodyLength) : body

const isOfCaller = (
  { organizationId }: LoggedRequest,
  { organization, unidentified }: RequestFilter,
): boolean => {
  if (organizationId === null && unidentified !== undefined) return true
  if (unidentified === 'only') return false
  return organization === undefined || organization === organizationId
}

/** What people know of a request, as one text. */
const describe = (request: LoggedRequest): string => {
  const { method, path, status, code, requestId, groupId, callId } = request
  const { address, userAgent, keyId, keyLabel, keyFingerprint } = request
  const outcome = [method, path, status, code, requestId, groupId, callId]
  return [...outcome, address, userAgent, keyId, keyLabel, keyFingerprint].join(' ').toLowerCase()
}

export const matchesRequest = (request: LoggedRequest, filter: RequestFilter): boolean => {
  const { key, method, status, code, group, call, from, before, text } = filter
  const { startedAt } = request
  return (
    isOfCaller(request, filter) &&
    (key === undefined || key === request.keyId) &&
    (method === undefined || method === request.method) &&
    (status === undefined || status === request.status) &&
    (code === undefined || code === request.code) &&
    (group === undefined || group === request.groupId) &&
    (call === undefined || call === request.callId) &&
    (from === undefined || startedAt >= from) &&
    (before === undefined || startedAt < before) &&
    (text === undefined || describe(request).includes(text.toLowerCase()))
  )
}

/**
 * Creates a log of the requests to the public API that this process responded to. It keeps the last 10,000 in memory
 * (tests keep fewer), 1,000 of them with their bodies, and usually only one 429 per organization and second. Its users
 * remove more:
 * - `serve/runtime.ts` in server removes requests that are older than `retentionDays`.
 * - `control/operations/erasures.ts` removes personal data from requests about an erased call.
 * - `control/operations/organizations.ts` and `server.ts` remove the requests of a removed organization, and
 *   `tenant/create-tenant.ts` in mock those of a tenant that is reset.
 */
export const createRequestLog = (capacity = requestCapacity) => {
  const requests: (LoggedRequest | undefined)[] = []
  /** The bodies of the last requests, at the positions of `requests`. */
  const bodies: (LoggedBodies | undefined)[] = []
  const keptBodies = Math.min(bodyCapacity, capacity)
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

  const store = (request: LoggedRequest, { requestBody, responseBody }: LoggedBodies): void => {
    const index = count % capacity
    requests[index] = request
    bodies[(count + capacity - keptBodies) % capacity] = undefined
    bodies[index] = { requestBody: shortenBody(requestBody), responseBody: shortenBody(responseBody) }
    count += 1
  }

  /** Each field is named, because a copy of "the rest" of an object is slow, and each request needs one. */
  const storeDescribed = (request: RequestDescribed): void => {
    const { caller, endpoint, userAgent, query } = request
    const logged: LoggedRequest = {
      requestId: request.requestId,
      startedAt: request.startedAt,
      durationMs: request.durationMs,
      method: request.method,
      path: endpoint === null ? shortenPath(request.path) : endpoints[endpoint].path,
      endpoint,
      status: request.status,
      code: request.code,
      groupId: request.groupId,
      callId: request.callId,
      address: request.address,
      userAgent: userAgent && shorten(userAgent, maxPathLength),
      query: query && shorten(query, maxPathLength),
      keyFingerprint: request.keyFingerprint,
      keyFault: request.keyFault,
      isRepeated: request.isRepeated,
      organizationId: caller?.organization.id ?? null,
      organizationCreatedAt: caller?.organization.createdAt ?? null,
      keyId: caller?.key.id ?? null,
      keyLabel: caller?.key.label ?? null,
    }
    store(logged, request)
  }

  return {
    /** Adds a request in the form in which it is listed. */
    put: ({ requestBody, responseBody, ...request }: LoggedRequest & LoggedBodies): void =>
      store(request, { requestBody, responseBody }),
    /** Adds a request, unless it is another 429 of its organization in the same second. */
    add: (request: RequestReported): void => {
      if (!isRepeatedRefusal(request)) storeDescribed(request)
    },
    /**
     * Replaces the outcome of a request by what the host sent instead. Adds the request if the log does not have it.
     */
    correct: (request: RequestDescribed): void => {
      const index = requests.findIndex((each) => each?.requestId === request.requestId)
      const known = requests[index]
      if (known === undefined) {
        storeDescribed(request)
        return
      }
      const { status, durationMs, responseBody } = request
      // The errors of a live service have no codes. If only the form of an error was changed, its code is kept.
      const code = request.code ?? (status === known.status ? known.code : null)
      requests[index] = { ...known, status, code, durationMs }
      const { requestBody = null } = bodies[index] ?? {}
      bodies[index] = { requestBody, responseBody: shortenBody(responseBody) }
    },
    /**
     * Lists the requests of an organization and those without a valid key, with the bodies that are kept, oldest first.
     */
    save: (organizationId: string): (LoggedRequest & LoggedBodies)[] => {
      const start = Math.max(0, count - capacity)
      return Array.from({ length: count - start }, (_, offset) => (start + offset) % capacity).flatMap(
        (index) => {
          const request = requests[index]
          if (request === undefined || ![organizationId, null].includes(request.organizationId)) return []
          return { ...request, ...(bodies[index] ?? { requestBody: null, responseBody: null }) }
        },
      )
    },
    /**
     * Removes a call's id from its requests, because it may contain a customer's phone number. Also removes the
     * addresses, user agents, queries and bodies of these requests. A request without a valid key may be about the call
     * of any organization, so it counts as one about this call.
     */
    forgetCall: (organizationId: string, callId: string): void => {
      for (const [index, each] of requests.entries()) {
        if (each?.callId !== callId || ![organizationId, null].includes(each.organizationId)) continue
        requests[index] = { ...each, ...nothingPersonal }
        bodies[index] = undefined
      }
    },
    /** Removes requests that started before a time. */
    forgetBefore: (time: number): void => {
      for (const [index, each] of requests.entries()) {
        if (each === undefined || each.startedAt >= time) continue
        requests[index] = undefined
        bodies[index] = undefined
      }
    },
    /**
     * Removes the requests with a key of an organization. With `createdAt`, removes only those of the organization that
     * was created then, because another one may have been created with its id since.
     */
    forgetOrganization: (organizationId: string, createdAt?: number | null): void => {
      for (const [index, each] of requests.entries()) {
        if (each?.organizationId !== organizationId) continue
        if (createdAt !== undefined && each.organizationCreatedAt !== createdAt) continue
        requests[index] = undefined
        bodies[index] = undefined
      }
    },
    /** Finds a request and its bodies, if they are still kept. */
    find: (requestId: string): (LoggedRequest & LoggedBodies) | undefined => {
      const index = requests.findIndex((each) => each?.requestId === requestId)
      const found = requests[index]
      return found && { ...found, ...(bodies[index] ?? { requestBody: null, responseBody: null }) }
    },
    /** Returns the start time of the last request with a key, or `null` if the log has none. */
    findLastUse: (organizationId: string, keyId: string): number | null =>
      requests.reduce<number | null>(
        (last, each) =>
          each?.organizationId === organizationId && each.keyId === keyId
            ? Math.max(last ?? 0, each.startedAt)
            : last,
        null,
      ),
    /** Lists requests, newest first. */
    list: ({ cursor, limit, ...filter }: PageRequest & RequestFilter): Page<LoggedRequest> => {
      const start = cursor === undefined ? count : Math.min(count, Number(parsePosition(cursor)))
      const oldest = Math.max(0, count - capacity)
      const items: LoggedRequest[] = []
      let last = start
      for (let position = start - 1; position >= oldest; position -= 1) {
        const request = requests[position % capacity]
        if (request === undefined || !matchesRequest(request, filter)) continue
        if (items.length === limit) return { items, nextCursor: String(last) }
        items.push(request)
        last = position
      }
      return { items }
    },
  }
}

export type RequestLog = ReturnType<typeof createRequestLog>
