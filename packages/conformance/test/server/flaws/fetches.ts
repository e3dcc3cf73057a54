import {
  type BrokenServer,
  change,
  editRecord,
  hasStatus,
  isFetch,
  isFetched,
  isObject,
  omit,
  shift,
  swapParties,
  swapStatus,
  withHeader,
  withoutHeader,
} from '../mutations.ts'
import type { Mutation } from '../reference.ts'

/** Responds to every fetch with the first summary that was ever fetched. */
const mixUpSummaries = (): Mutation => {
  let first: Record<string, unknown> | undefined
  return change(
    (call, { status }) => isFetch(call) && status === 200,
    ({ body }) => {
      first ??= body
      return { body: first }
    },
  )
}

/** Responds to every fetch with the latest summary. */
const returnLatest = (): Mutation => {
  let latest: Record<string, unknown> | undefined
  return {
    ...change(
      (call, { status }) => isFetch(call) && status === 200,
      ({ body }) => ({ body: latest ?? body }),
    ),
    webhook: (hook, send) => {
      const { event, ...summary } = hook.body
      if (event === 'CALL_AI_SUMMARY') latest = summary
      return send()
    },
  }
}

/** Responds that pending summaries may be fetched again after 0 s, except for the first calls. */
const rushAfter = (calls: number): Mutation => {
  const seen = new Set<string | null>()
  return change(
    (call, { status }) => status === 202 && seen.add(call.query.get('callId')).size > calls,
    ({ headers }) => ({ headers: withHeader(headers, 'retry-after', '0') }),
  )
}

/** Looks up a fetched call in another way, among the ids whose summaries were fetched before. */
function findById(find: (callId: string, known: readonly string[]) => string | undefined): Mutation {
  const known: string[] = []
  return {
    api: async (call, respond) => {
      const callId = call.query.get('callId') ?? ''
      const response = await respond()
      if (!isFetch(call)) return response
      if (response.status === 200) known.push(callId)
      const found = response.status === 404 ? find(callId, known) : undefined
      return found === undefined
        ? response
        : respond({ ...call, query: new URLSearchParams({ callId: found }) })
    },
  }
}

/** Responds 404 when a summary is fetched for the second time. */
function forgetFetched(): Mutation {
  const fetched = new Set<string | null>()
  return change(
    (call, sent) => isFetched(call, sent) && fetched.size === fetched.add(call.query.get('callId')).size,
    () => ({ status: 404, body: {} }),
  )
}

/** Responds with 202 forever to fetches of a call whose summary was once pending. */
function cachePending(): Mutation {
  const pending = new Map<string | null, Response>()
  return {
    api: async (call, respond) => {
      const callId = call.query.get('callId')
      const response = pending.get(callId) ?? (await respond())
      if (response.status === 202) pending.set(callId, response.clone())
      return response
    },
  }
}

/** Servers with one mistake each in fetched summaries. */
export const createFetchFlaws = (): BrokenServer[] => [
  {
    name: 'responds 404 without a callId',
    caughtBy: 'fetch.call-id.missing-is-400',
    ...swapStatus(400, 404, isFetch),
  },
  {
    name: 'responds 500 to a fetch with two callIds',
    caughtBy: 'fetch.call-id.twice-is-refused',
    ...swapStatus(404, 500, ({ query }) => query.getAll('callId').length > 1),
  },
  {
    name: 'responds 200 for an unknown call',
    caughtBy: 'fetch.call-id.unknown-is-404',
    ...swapStatus(404, 200, isFetch),
  },
  {
    name: 'caches that a summary is pending',
    caughtBy: 'fetch.summary.is-200',
    ...cachePending(),
  },
  { name: 'never finds a summary', caughtBy: 'fetch.summary.is-200', ...swapStatus(200, 404, isFetch) },
  {
    name: 'omits keyPoints from the fetched summary',
    caughtBy: 'fetch.summary.has-all-parts',
    ...change(isFetched, ({ body }) => ({
      body: { ...body, summary: omit(isObject(body.summary) ? body.summary : {}, 'keyPoints') },
    })),
  },
  {
    name: 'returns a different recap than the event',
    caughtBy: 'fetch.summary.equals-event',
    ...change(isFetched, ({ body }) => ({
      body: { ...body, summary: { ...(isObject(body.summary) ? body.summary : {}), recap: 'Another.' } },
    })),
  },
  {
    name: 'returns the event with its name',
    caughtBy: 'fetch.summary.is-the-event-without-its-name',
    ...change(isFetched, ({ body }) => ({ body: { event: 'CALL_AI_SUMMARY', ...body } })),
  },
  {
    name: 'omits Retry-After from 202',
    caughtBy: 'fetch.in-progress.retry-after',
    ...change(hasStatus(202), ({ headers }) => ({ headers: withoutHeader(headers, 'retry-after') })),
  },
  { name: 'responds 404 during a call', caughtBy: 'fetch.in-progress.is-202', ...swapStatus(202, 404) },
  {
    name: 'responds 404 for calls without a summary',
    caughtBy: 'fetch.missed.is-422',
    ...swapStatus(422, 404, isFetch),
  },
  {
    name: 'returns the summary of another call',
    caughtBy: 'fetch.summary.is-of-this-call',
    ...mixUpSummaries(),
  },
  {
    name: 'returns the summary of the latest call',
    caughtBy: 'fetch.summary.is-of-this-call',
    ...returnLatest(),
  },
  {
    name: 'returns 200 and no summary while it is pending',
    caughtBy: 'fetch.response.200-is-a-summary',
    ...change(
      (call, sent) => isFetch(call) && sent.status === 202,
      () => ({ status: 200, body: { status: 'pending' } }),
    ),
  },
  {
    name: 'returns 200 and an empty object for an unknown call',
    caughtBy: 'fetch.response.200-is-a-summary',
    ...change(
      (call, sent) => isFetch(call) && sent.status === 404,
      () => ({ status: 200, body: {} }),
    ),
  },
  {
    name: 'sends no Retry-After for a pending summary',
    caughtBy: 'fetch.in-progress.retry-after',
    ...change(hasStatus(202), ({ headers }) => ({ headers: withoutHeader(headers, 'retry-after') })),
  },
  {
    name: 'allows fetching a pending summary again after 0 s',
    caughtBy: 'fetch.in-progress.retry-after',
    ...change(hasStatus(202), ({ headers }) => ({ headers: withHeader(headers, 'retry-after', '0') })),
  },
  {
    name: 'after two calls, allows fetching a pending summary again after 0 s',
    caughtBy: 'fetch.in-progress.retry-after',
    ...rushAfter(2),
  },
  {
    name: 'reports a summary as pending that was never requested',
    caughtBy: 'fetch.manual.is-404',
    ...change(
      (call, sent) => isFetch(call) && sent.status === 404 && /^call_/.test(call.query.get('callId') ?? ''),
      ({ headers }) => ({ status: 202, headers: withHeader(headers, 'retry-after', '5') }),
    ),
  },
  {
    name: 'fetches other times than those of the event',
    caughtBy: 'fetch.summary.agrees-with-the-event',
    ...editRecord((body) => ({
      callStartedAt: shift(body.callStartedAt, 3_600_000),
      callEndedAt: shift(body.callEndedAt, 3_600_000),
    })),
  },
  {
    name: 'fetches a duration in milliseconds',
    caughtBy: 'fetch.summary.agrees-with-the-event',
    ...editRecord((body) => ({ durationInSeconds: Number(body.durationInSeconds) * 1_000 })),
  },
  {
    name: 'swaps from and to in fetched records',
    caughtBy: 'fetch.summary.agrees-with-the-event',
    ...editRecord(swapParties),
  },
  {
    name: 'fetches an empty agentNumber',
    caughtBy: 'fetch.summary.agent-number-absent-not-empty',
    ...editRecord((body) => ({ agentNumber: body.agentNumber ?? '' })),
  },
  {
    name: 'fetches the agent of another call',
    caughtBy: 'fetch.summary.agrees-with-the-event',
    ...editRecord((body) => ({ agentNumber: body.agentNumber ?? '+15550190077' })),
  },
  {
    name: 'cuts fetched recaps',
    caughtBy: 'fetch.summary.equals-event',
    ...editRecord(({ summary }) => ({
      summary: { ...(isObject(summary) ? summary : {}), recap: 'The customer asked' },
    })),
  },
  {
    name: 'finds a call without the last character of its id',
    caughtBy: 'fetch.call-id.cut-is-404',
    ...findById((callId, known) => known.find((each) => callId !== '' && each.startsWith(callId))),
  },
  {
    name: 'looks for calls with LIKE',
    caughtBy: 'fetch.call-id.pattern-is-404',
    ...findById((callId, known) => (callId === '%' ? known[0] : undefined)),
  },
  {
    name: 'returns a summary to any method',
    caughtBy: 'fetch.method.post-is-refused',
    api: (call, respond) => respond(isFetch(call) ? { ...call, method: 'GET' } : call),
  },
  {
    name: 'finds a call by the beginning of its id',
    caughtBy: 'fetch.call-id.longer-is-404',
    api: (call, respond) => {
      const callId = call.query.get('callId') ?? ''
      return isFetch(call) && callId.endsWith('x')
        ? respond({ ...call, query: new URLSearchParams({ callId: callId.slice(0, -1) }) })
        : respond()
    },
  },
  {
    name: 'closes the connection if a callId has more than 200 characters',
    caughtBy: 'fetch.call-id.long-is-refused',
    api: (call, respond) =>
      (call.query.get('callId')?.length ?? 0) > 200 ? Promise.reject(new Error('closed')) : respond(),
  },
  {
    name: 'finds a call by its id in any case',
    caughtBy: 'fetch.call-id.in-the-other-case-is-404',
    ...findById((callId, known) => known.find((each) => each.toLowerCase() === callId.toLowerCase())),
  },
  {
    name: 'forgets a summary after it was fetched',
    caughtBy: 'fetch.summary.again-is-the-same',
    ...forgetFetched(),
  },
  {
    name: 'forgets a summary that is generated again',
    caughtBy: 'fetch.summary.regenerated-is-200',
    ...change(
      (call, sent) => isFetched(call, sent) && JSON.stringify(sent.body).includes('Generated again.'),
      () => ({ status: 404, body: {} }),
    ),
  },
  {
    name: 'responds with text while a summary is pending',
    caughtBy: 'fetch.pending.is-json',
    api: async (_, respond) => {
      const response = await respond()
      return response.status === 202
        ? new Response('Please wait.', {
            status: 202,
            headers: withHeader(response.headers, 'content-type', 'text/plain'),
          })
        : response
    },
  },
  {
    name: 'writes callIds into its SQL',
    caughtBy: 'fetch.call-id.injection-is-404',
    ...findById((callId, known) => (callId.includes("' OR '") ? known[0] : undefined)),
  },
  {
    name: 'looks for calls among the properties of an object',
    caughtBy: 'fetch.call-id.inherited-name-is-404',
    ...findById((callId, known) => (callId in {} ? known[0] : undefined)),
  },
]
