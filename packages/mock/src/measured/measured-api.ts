import { endpoints } from '@wabakit/contract'
import {
  type ApiQuestion,
  apiQuestions,
  type MeasuredProfile,
  type ResponseForm,
} from '@wabakit/contract/profile'
import type { CallRecord } from '@wabakit/core'
import { findEndpoint } from '@wabakit/core/hosting'
import { writeJson } from '@wabakit/wire'
import { buildResponse } from './build-response.ts'
import type { Choose } from './choose-value.ts'

type FoundCall = Pick<CallRecord, 'channel'> | undefined

/** The imitation of a live service, which responds wherever nothing was measured. */
export type Live = {
  /** Responds like it. `readCall` sees the call whose summary is requested, if it was found, and can hide it. */
  respond(request: Request, readCall: (call: FoundCall) => FoundCall): Promise<Response>
}

type MeasuredApi = {
  readonly api: MeasuredProfile['api']
  readonly choose: Choose
  readonly apiKey: string
}

/** Returns how a request carries the key, as in the name of a question; `undefined` if no question asks about this way. */
const findKey = ({ headers }: Request, apiKey: string) => {
  const [raw, own] = [headers.get('authorization'), headers.get('x-public-api-key')]
  if (raw === null && own === null) return 'missing-key'
  if (own === null && raw === apiKey) return 'key.authorization'
  if (own === null && raw === `Bearer ${apiKey}`) return 'key.bearer'
  if (raw === null && own === apiKey) return 'key.x-public-api-key'
  if (raw === apiKey && own === apiKey) return 'key.both'
  return raw?.includes(apiKey) || own?.includes(apiKey) ? undefined : 'wrong-key'
}

/** Copies a request with the key in one header, or in none. */
const withKey = async (
  request: Request,
  key: readonly [name: string, value: string] | undefined,
): Promise<Request> => {
  const headers = new Headers(request.headers)
  for (const name of ['authorization', 'x-public-api-key']) headers.delete(name)
  if (key !== undefined) headers.set(...key)
  const { url, method, signal } = request
  const body = method === 'GET' || method === 'HEAD' ? {} : { body: await request.arrayBuffer() }
  return new Request(url, { method, headers, signal, ...body })
}

/** Removes the id from a create request, so that the service assigns one. */
const withoutGroupId = async (request: Request): Promise<Request> => {
  const text = await request.text()
  const { url, method, headers, signal } = request
  const init = { method, headers, signal }
  try {
    const { groupId: _, ...fields } = JSON.parse(text)
    return new Request(url, { ...init, body: writeJson(fields) })
  } catch {
    return new Request(url, { ...init, body: text })
  }
}

/** Responds to requests to the public API as was measured, and otherwise as the profile `live` does. */
export const createMeasuredApi = ({ api, choose: chooseValue, apiKey }: MeasuredApi) => {
  const choose = (question: ApiQuestion): ResponseForm | 'accepted' | undefined =>
    chooseValue(question, api[question])?.value
  const find = (question: ApiQuestion): ResponseForm | undefined => {
    const chosen = choose(question)
    return chosen === 'accepted' ? undefined : chosen
  }
  const answer = async (question: ApiQuestion | undefined, response: Response): Promise<Response> => {
    const form = question && find(question)
    return form === undefined ? response : buildResponse(form, response)
  }

  /**
   * Returns whether a response refuses the key. A service that does not look at the key responds as to a right one, that there
   * is no such call, so the same status does not refuse it.
   */
  const isRefusal = (question: ApiQuestion, { status }: ResponseForm): boolean =>
    status === 401 ||
    status === 403 ||
    question.includes('.key.') ||
    !api['fetch.unknown-call']?.values.some(
      ({ value }) => typeof value === 'object' && value.status === status,
    )

  const respondToCreate = async (request: Request, live: Live): Promise<Response> => {
    const created = find('create.response')
    const isAssigned = created !== undefined && created.fields.groupId !== 'as-sent'
    const response = await live.respond(isAssigned ? await withoutGroupId(request) : request, (call) => call)
    if (response.status === 200) return created === undefined ? response : buildResponse(created, response)
    const questions: Readonly<Record<number, ApiQuestion>> = {
      400: 'create.invalid',
      422: 'create.refused',
      429: 'rate-limited',
    }
    return answer(questions[response.status], response)
  }

  const fetchesWhatsApp =
    api['fetch.summary.WHATSAPP']?.values.some(
      ({ value }) => typeof value === 'object' && value.status === 200,
    ) ?? false

  const respondToFetch = async (request: Request, live: Live): Promise<Response> => {
    let channel: string | undefined
    const response = await live.respond(request, (call) => {
      channel = call?.channel
      return channel === 'WHATSAPP' && fetchesWhatsApp ? undefined : call
    })
    const isWhatsApp = channel === 'WHATSAPP'
    const questions: Readonly<Record<number, ApiQuestion>> = {
      200: isWhatsApp ? 'fetch.summary.WHATSAPP' : 'fetch.summary.PSTN',
      202: 'fetch.pending',
      400: 'fetch.missing-call-id',
      404: isWhatsApp ? 'fetch.summary.WHATSAPP' : 'fetch.unknown-call',
      422: 'fetch.unavailable',
      429: 'rate-limited',
    }
    return answer(questions[response.status], response)
  }

  return async (request: Request, live: Live): Promise<Response> => {
    const endpoint = findEndpoint(new URL(request.url).pathname)
    const pass = (received: Request) => live.respond(received, (call) => call)
    if (endpoint === undefined) return answer('unknown-path', await pass(request))
    if (request.method !== endpoints[endpoint].method) {
      const isAsked = endpoint === 'groups.create' && request.method === 'GET'
      return answer(isAsked ? 'wrong-method' : undefined, await pass(request))
    }
    const isFetch = endpoint === 'calls.getSummary'
    const name = `${isFetch ? 'fetch' : 'create'}.${findKey(request, apiKey)}`
    const question = apiQuestions.find((each) => each === name)
    const seen = question && choose(question)
    if (question && typeof seen === 'object' && isRefusal(question, seen))
      return buildResponse(seen, await pass(await withKey(request, undefined)))
    const header = isFetch ? 'authorization' : 'x-public-api-key'
    const accepted = seen === undefined ? request : await withKey(request, [header, apiKey])
    return isFetch ? respondToFetch(accepted, live) : respondToCreate(accepted, live)
  }
}
