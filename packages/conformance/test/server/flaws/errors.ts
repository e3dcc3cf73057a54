import {
  type BrokenServer,
  change,
  hasStatus,
  isCreate,
  omit,
  readFields,
  toJson,
  withHeader,
  withoutHeader,
} from '../mutations.ts'
import type { Mutation } from '../reference.ts'

function failForRefusedIds(): Mutation {
  const refused = new Set<unknown>()
  return {
    api: async (call, respond) => {
      const response = await respond()
      const { groupId } = readFields(call)
      if (!isCreate(call) || groupId === undefined) return response
      if (response.status === 400) refused.add(groupId)
      if (response.status !== 200 || !refused.has(groupId)) return response
      const body = {
        statusCode: 500,
        error: 'Internal Server Error',
        message: 'Oops.',
        code: 'internal_error',
      }
      return toJson(500, body, response.headers)
    },
  }
}

function forgetAfterRepeat(): Mutation {
  const seen = new Set<unknown>()
  const forgotten = new Set<unknown>()
  return {
    api: async (call, respond) => {
      const response = await respond()
      const { groupId, subject } = readFields(call)
      if (
        !isCreate(call) ||
        groupId === undefined ||
        subject === 'Acceptance check' ||
        subject === 'Another subject'
      )
        return response
      if (response.status === 200 && seen.has(groupId)) forgotten.add(groupId)
      if (response.status === 200) seen.add(groupId)
      return response.status === 422 && forgotten.has(groupId)
        ? toJson(200, { success: true, groupId }, response.headers)
        : response
    },
  }
}

/** Responds 429 to every request after it has done so once. */
function limitEveryKey(): Mutation {
  let limited: Response | undefined
  return {
    api: async (_, respond) => {
      const response = await respond()
      if (response.status === 429) limited = response.clone()
      return limited?.clone() ?? response
    },
  }
}

/** Servers with one mistake each in errors, limits and sequences of requests. */
export const createErrorFlaws = (): BrokenServer[] => [
  {
    name: 'sends no error codes',
    caughtBy: 'errors.body.has-the-documented-fields',
    ...change(
      (_, { status }) => status >= 400,
      ({ body }) => ({ body: omit(body, 'code') }),
    ),
  },
  {
    name: 'sends a different status in the body',
    caughtBy: 'errors.body.status-code-is-the-status',
    ...change(
      (_, { status }) => status >= 400,
      ({ body }) => ({ body: { ...body, statusCode: 500 } }),
    ),
  },
  {
    name: 'sends Error as every message',
    caughtBy: 'errors.body.error-is-the-reason-phrase',
    ...change(
      (_, { status }) => status >= 400,
      ({ body }) => ({ body: { ...body, error: 'Error' } }),
    ),
  },
  {
    name: 'names no invalid field',
    caughtBy: 'errors.body.issues-name-the-field',
    ...change(
      (_, { status }) => status === 400,
      ({ body }) => ({ body: omit(body, 'issues') }),
    ),
  },
  {
    name: 'sends the same code for all invalid fields',
    caughtBy: 'errors.code.invalid-description',
    ...change(
      (call, { status }) => isCreate(call) && status === 400,
      ({ body }) => ({ body: { ...body, code: 'invalid_body' } }),
    ),
  },
  {
    name: 'sends HTML pages for errors',
    caughtBy: 'errors.body.is-json',
    api: async (_, respond) => {
      const response = await respond()
      return response.status < 400
        ? response
        : new Response('<h1>Error</h1>', { status: response.status, headers: response.headers })
    },
  },
  {
    name: 'sends no request ids',
    caughtBy: 'errors.request-id.is-present',
    ...change(
      () => true,
      ({ headers }) => ({ headers: withoutHeader(headers, 'x-request-id') }),
    ),
  },
  {
    name: 'names no allowed method',
    caughtBy: 'errors.method-not-allowed.names-the-allowed',
    ...change(hasStatus(405), ({ headers }) => ({ headers: withoutHeader(headers, 'allow') })),
  },
  {
    name: 'omits Retry-After from 429',
    caughtBy: 'limits.429.retry-after',
    ...change(hasStatus(429), ({ headers }) => ({ headers: withoutHeader(headers, 'retry-after') })),
  },
  {
    name: 'sends 429 without a body',
    caughtBy: 'limits.429.is-json',
    api: async (_, respond) => {
      const response = await respond()
      return response.status === 429
        ? new Response(null, { status: 429, headers: response.headers })
        : response
    },
  },
  {
    name: 'omits the RateLimit headers',
    caughtBy: 'limits.429.ratelimit',
    ...change(hasStatus(429), ({ headers }) => ({ headers: withoutHeader(headers, 'ratelimit') })),
  },
  {
    name: 'fails when an id was refused before',
    caughtBy: 'random.sequences.follow-the-specification',
    minutes: 0.1,
    ...failForRefusedIds(),
  },
  {
    name: 'forgets a group after a repeat',
    caughtBy: 'random.sequences.follow-the-decisions',
    minutes: 0.1,
    ...forgetAfterRepeat(),
  },
  {
    name: 'allows a limited client to retry after 0 s',
    caughtBy: 'limits.429.retry-after',
    ...change(hasStatus(429), ({ headers }) => ({ headers: withHeader(headers, 'retry-after', '0') })),
  },
  {
    name: 'returns errors as HTML',
    caughtBy: 'errors.body.is-json',
    api: async (_, respond) => {
      const response = await respond()
      if (response.status < 400) return response
      return new Response('<h1>Error</h1>', {
        status: response.status,
        headers: withHeader(response.headers, 'content-type', 'text/html'),
      })
    },
  },
  {
    name: 'limits valid keys because of wrong ones',
    caughtBy: 'limits.429.spares-a-valid-key',
    ...limitEveryKey(),
  },
  {
    name: 'fails if a description is not a string',
    caughtBy: 'errors.status.is-never-500',
    ...change(
      (call, { status }) => status === 400 && readFields(call).description === 1,
      () => ({ status: 500 }),
    ),
  },
  {
    name: 'closes the connection if a description is not a string',
    caughtBy: 'errors.connection.is-not-closed',
    api: (call, respond) =>
      readFields(call).description === 1 ? Promise.reject(new Error('closed')) : respond(),
  },
]
