import {
  type EndpointName,
  type ErrorCode,
  endpoints,
  isErrorCode,
  ReceivedErrorBody,
} from '@wabakit/contract'
import type { ConnectionInfo, ReferenceServer } from '@wabakit/core'
import type { ApiFault } from '../faults/api-fault.ts'
import type { ApiRules } from '../faults/api-rules.ts'
import { faultyAnswer, isCarriedOut } from '../faults/faulty-answer.ts'
import type { RecordedRequest } from '../recording/recorded-request.ts'
import { sleepRealTime } from '../time/real-timers.ts'
import { readRequestBody } from './read-body.ts'

/** What {@link createApi} works with. */
export type ApiContext = {
  readonly server: Pick<ReferenceServer, 'fetch'>
  readonly rules: ApiRules
  readonly now: () => number
  readonly record: (request: RecordedRequest) => void
}

/** Answers requests of the public API. Rejects as `fetch` does when a fault resets the connection. */
export type Api = (request: Request, connection?: ConnectionInfo) => Promise<Response>

const names = Object.keys(endpoints) as readonly EndpointName[]

const codeOf = async (response: Response): Promise<ErrorCode | undefined> => {
  const parsed = ReceivedErrorBody.safeParse(await response.clone().json())
  return isErrorCode(parsed.data?.code) ? parsed.data.code : undefined
}

const verdictOf = async (response: Response): Promise<RecordedRequest['verdict']> =>
  response.status === 200 ? 'ok' : ((await codeOf(response)) ?? 'ok')

/** Makes the API of a server, with its faults, and records what it is asked. */
export const createApi = ({ server, rules, now, record }: ApiContext): Api => {
  const answer = async (
    request: Request,
    fault: ApiFault | undefined,
    connection: ConnectionInfo | undefined,
  ) => {
    if (fault === undefined) return server.fetch(request, connection)
    await sleepRealTime(fault.latencyMs ?? 0, request.signal)
    const own = isCarriedOut(fault) ? await server.fetch(request, connection) : undefined
    return faultyAnswer(fault, own)
  }

  return async (request, connection) => {
    request.signal.throwIfAborted()
    const url = new URL(request.url)
    const endpoint = names.find((name) => endpoints[name].path === url.pathname)
    const fault = rules.take(endpoint)
    const about = {
      endpoint,
      method: request.method,
      path: url.pathname,
      query: Object.fromEntries(url.searchParams),
      headers: new Headers(request.headers),
      body: await readRequestBody(request),
      at: now(),
      fault,
    }
    try {
      const response = await answer(request, fault, connection)
      const verdict = fault === undefined ? await verdictOf(response) : 'fault'
      record({ ...about, status: response.status, verdict })
      return response
    } catch (error) {
      record({ ...about, status: undefined, verdict: 'fault' })
      throw error
    }
  }
}
