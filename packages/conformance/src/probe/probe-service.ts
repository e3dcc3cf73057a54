import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { endpoints } from '@wabakit/contract'
import type { ApiQuestion, ResponseForm } from '@wabakit/contract/profile'
import { checkNumbers } from '../check-numbers.ts'
import { type Exchange, isFirewalled, sendRequest } from '../endpoint/send.ts'
import { startServedClock } from '../endpoint/served-clock.ts'
import { ExaminationUsageError, TargetUnreachableError } from '../errors.ts'
import { parseJson } from './parse-json.ts'
import { readForm } from './read-form.ts'

/** The service to probe, and what may be asked. */
export type ProbeOptions = {
  /** Base URL of the public API. */
  readonly baseUrl: string
  readonly apiKey: string
  /** Ids of PSTN calls that have a summary. */
  readonly pstnCalls?: readonly string[] | undefined
  /** Ids of WhatsApp calls that have a summary. */
  readonly whatsAppCalls?: readonly string[] | undefined
  /** Creates this group, once. @default nothing is created */
  readonly createGroup?: { readonly wabaNumber: string; readonly subject: string } | undefined
  /** Sends one request with a wrong key, at the end. @default false */
  readonly wrongKey?: boolean | undefined
  /** Time between a response and the next request, in milliseconds. @default 6_000: at most 10 requests a minute */
  readonly intervalMs?: number | undefined
}

/** The answer to one question. */
export type ProbeAnswer = {
  readonly question: ApiQuestion
  /** The form of the response, or that a key is accepted; `undefined` if the response does not answer the question. */
  readonly form: ResponseForm | 'accepted' | undefined
  /** Why the response does not answer the question. */
  readonly reason?: string | undefined
}

/** The answers of a probe. */
export type ProbeResult = {
  readonly answers: readonly ProbeAnswer[]
  /** Number of requests that were sent, at most 20. */
  readonly requests: number
  /** Why the probe stopped early: a 429, no response, or 404 with and without a key. `undefined` if it did not. */
  readonly endedBy?: string | undefined
}

const maxRequests = 20
/** Maximum number of requests that a probe sends whatever its options. */
const fixedRequests = 8
const timeoutMs = 30_000
const maxResponseBytes = 1_048_576

type KeyForm = 'authorization' | 'x-public-api-key' | 'bearer' | 'both'

const writeKey = (form: KeyForm | undefined, key: string): Readonly<Record<string, string>> => {
  switch (form) {
    case 'authorization':
      return { authorization: key }
    case 'bearer':
      return { authorization: `Bearer ${key}` }
    case 'x-public-api-key':
      return { 'x-public-api-key': key }
    case 'both':
      return { authorization: key, 'x-public-api-key': key }
    default:
      return {}
  }
}

/** The ways to send the key. Later requests use the first one that is accepted, except those that create the group. */
const keyForms: readonly KeyForm[] = ['authorization', 'x-public-api-key', 'both', 'bearer']

/** The questions that a create request may answer, by the status of its response. */
const createOutcomes: Readonly<Record<number, ApiQuestion>> = {
  200: 'create.response',
  400: 'create.invalid',
  422: 'create.refused',
}

type Asked = {
  readonly path: string
  readonly key?: KeyForm | undefined
  readonly apiKey?: string
  readonly json?: { readonly groupId: string }
}

const isRefused = ({ status }: ResponseForm): boolean => status === 401 || status === 403

/** Returns why a response says nothing about the service's rules, or `undefined`. */
const findObstacle = (exchange: Exchange): string | undefined => {
  const { status = 0, headers, body, timedOut } = exchange
  if (timedOut) return 'no complete response'
  if (/json/i.test(headers['content-type'] ?? '') && body.trim() !== '' && parseJson(body) === undefined)
    return `${status} with broken JSON`
  if (isFirewalled(exchange)) return `${status} of a firewall`
  if (status < 200) return `${status}: the service switched to another protocol`
  if (status >= 500) return `${status}: the service failed`
  if (status >= 300 && status < 400) return `${status}: a redirect, which was not followed`
  return undefined
}

const assertFits = ({
  pstnCalls = [],
  whatsAppCalls = [],
  createGroup,
  wrongKey = false,
}: ProbeOptions): void => {
  const calls = pstnCalls.length + whatsAppCalls.length
  const left = maxRequests - fixedRequests - (createGroup ? 2 : 0) - (wrongKey ? 1 : 0)
  if (calls <= left) return
  throw new ExaminationUsageError(
    `A probe sends at most ${maxRequests} requests, so it can ask for ${left} calls, not ${calls}.`,
  )
}

/**
 * Asks a service, slowly, how it responds where services differ, and judges nothing. Sends GETs with a valid key, or none, and
 * more only if the options say so. Ends at a 429, or if there is no response.
 *
 * @throws ExaminationUsageError when more than 20 requests could be needed, or `intervalMs` is not a number of 0 or more.
 * @throws TargetUnreachableError when the service does not respond to the first request.
 */
export const probeService = async (options: ProbeOptions): Promise<ProbeResult> => {
  const { apiKey, pstnCalls = [], whatsAppCalls = [], createGroup, wrongKey, intervalMs = 6_000 } = options
  checkNumbers({ intervalMs })
  assertFits(options)
  const base = options.baseUrl.replace(/\/+$/, '')
  using clock = startServedClock()
  const { signal } = new AbortController()
  const answers: ProbeAnswer[] = []
  /** The statuses with which the key was refused. */
  const refusals = new Map<KeyForm, number>()
  let requests = 0
  let endedBy: string | undefined

  const answer = (question: ApiQuestion, form: ProbeAnswer['form'], reason?: string): void => {
    answers.push({ question, form, reason })
  }

  /** Sends a request. Returns `undefined` if the response does not answer the question, or the probe is over. */
  const send = async (question: ApiQuestion, asked: Asked): Promise<ResponseForm | undefined> => {
    if (endedBy !== undefined) return undefined
    if (requests > 0) await sleep(intervalMs)
    requests += 1
    const { path, key, json } = asked
    const exchange = await sendRequest(
      new URL(base + path),
      {
        method: json === undefined ? 'GET' : 'POST',
        headers: {
          accept: 'application/json',
          ...writeKey(key, asked.apiKey ?? apiKey),
          ...(json !== undefined && { 'content-type': 'application/json' }),
        },
        body: Buffer.from(json === undefined ? '' : JSON.stringify(json)),
      },
      { timeoutMs, clock, signal, maxResponseBytes },
    )
    const { status, error = 'no complete response' } = exchange
    if (status === undefined && requests === 1)
      throw new TargetUnreachableError(`${new URL(base).origin} cannot be reached: ${error}`)
    if (status === undefined) endedBy = `there was no response: ${error}`
    if (status === 429) endedBy = 'the service asked for fewer requests (429)'
    const obstacle = status === undefined ? error : findObstacle(exchange)
    if (obstacle !== undefined) {
      answer(question, undefined, obstacle)
      return undefined
    }
    const form = readForm(exchange, { groupId: json?.groupId })
    if (status !== 429) return form
    answer(question, undefined, '429')
    answer('rate-limited', form)
    return undefined
  }

  const ask = async (question: ApiQuestion, asked: Asked): Promise<ResponseForm | undefined> => {
    const form = await send(question, asked)
    if (form !== undefined) answer(question, form)
    return form
  }

  const summaryPath = endpoints['calls.getSummary'].path
  const toPath = (callId: string) => `${summaryPath}?${new URLSearchParams({ callId })}`
  const unknownCall = toPath(`wabakit-probe-${randomBytes(8).toString('hex')}`)

  /** Asks in which headers the key is accepted. Returns the first form that is. */
  const askForKeys = async (): Promise<KeyForm | undefined> => {
    const missing = await ask('fetch.missing-key', { path: unknownCall })
    const forms: (readonly [key: KeyForm, form: ResponseForm])[] = []
    const statuses = [missing?.status]
    for (const key of keyForms) {
      const form = await send(`fetch.key.${key}`, { path: unknownCall, key })
      statuses.push(form?.status)
      if (form !== undefined) forms.push([key, form])
    }
    // Some services respond 400 to a key that they do not find, as to any missing field. Another status then shows that the
    // key was found.
    const isPast = forms.some(([, form]) => !isRefused(form) && form.status !== missing?.status)
    const accepted: KeyForm[] = []
    for (const [key, form] of forms) {
      const wasRefused = isRefused(form) || (isPast && form.status === missing?.status)
      answer(`fetch.key.${key}`, wasRefused ? form : 'accepted')
      if (wasRefused) {
        refusals.set(key, form.status)
        continue
      }
      accepted.push(key)
      answer('fetch.unknown-call', form)
    }
    if (endedBy === undefined && statuses.every((status) => status === 404)) {
      endedBy = `${summaryPath} is 404 with and without a key, so it may not exist there: is the base URL right?`
      answers.length = 0
    }
    return accepted[0]
  }

  const askForCalls = async (key: KeyForm): Promise<void> => {
    const calls = [
      ...pstnCalls.map((id) => [id, 'fetch.summary.PSTN'] as const),
      ...whatsAppCalls.map((id) => [id, 'fetch.summary.WHATSAPP'] as const),
    ]
    for (const [id, question] of calls) {
      const form = await send(question, { path: toPath(id), key })
      if (form === undefined) continue
      answer(
        form.status === 202 ? 'fetch.pending' : form.status === 422 ? 'fetch.unavailable' : question,
        form,
      )
    }
  }

  /** Creates the group. Tries the other header only after the key was refused, which means that nothing was created. */
  const askForGroup = async (group: {
    readonly wabaNumber: string
    readonly subject: string
  }): Promise<void> => {
    const json = { ...group, groupId: `wabakit-probe-${randomBytes(8).toString('hex')}` }
    for (const key of ['x-public-api-key', 'authorization'] as const) {
      const question = `create.key.${key}` as const
      const form = await send(question, { path: endpoints['groups.create'].path, key, json })
      if (form === undefined) return
      const { status } = form
      if (status === 401 || status === refusals.get(key)) {
        answer(question, form)
        continue
      }
      const outcome = createOutcomes[status < 300 ? 200 : status]
      if (outcome === undefined) answer(question, undefined, `${status}: the group was not created`)
      else {
        answer(question, 'accepted')
        answer(outcome, form)
      }
      return
    }
  }

  const run = async (): Promise<void> => {
    const key = await askForKeys()
    if (endedBy !== undefined) return
    if (key !== undefined) {
      await ask('fetch.missing-call-id', { path: summaryPath, key })
      await askForCalls(key)
    }
    await ask('unknown-path', { path: '/wabakit-probe', key })
    await ask('wrong-method', { path: endpoints['groups.create'].path, key })
    if (createGroup !== undefined) await askForGroup(createGroup)
    if (wrongKey)
      await ask('fetch.wrong-key', {
        path: unknownCall,
        key: key ?? 'both',
        apiKey: 'wabakit-probe-wrong-key',
      })
  }
  await run()
  return { answers, requests, endedBy }
}
