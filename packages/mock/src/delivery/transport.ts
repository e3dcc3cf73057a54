import type { WebhookEvent } from '@wabakit/contract'
import type { AttemptReported, DeliveryRequest, DeliveryResponse, LoadedDelivery } from '@wabakit/core'
import type { WireAttempt } from '@wabakit/core/control'
import { createHide, hideInError, readResponseBody } from '@wabakit/core/hosting'
import { parseEvent } from '@wabakit/webhooks'
import { maskUrl } from '@wabakit/wire'
import type { DuplicateFault } from '../faults/delivery-fault.ts'
import type { DeliveryFaultLists } from '../faults/delivery-faults.ts'
import { tamper } from '../faults/tamper.ts'
import type { RecordedDelivery } from '../recording.ts'
import { addParameter } from '../url-parameter.ts'
import { createDelays, type DelaysOptions } from './delays.ts'
import { observeOutcome } from './receiver-outcomes.ts'
import type { Targets } from './targets.ts'

export type TransportOptions = DelaysOptions & {
  readonly faults: DeliveryFaultLists
  readonly targets: Targets
  /** Turns a signed request into the one that the profile sends. */
  readonly prepare: (
    init: DeliveryRequest,
    attempted: LoadedDelivery,
  ) => PreparedRequest | Promise<PreparedRequest>
  /** Name of the header with the mock's own credentials; `undefined` if no header has them. */
  readonly authHeader: string | undefined
  /** The parameter of the URL that proves who the sender is, and the mock's own value of it. */
  readonly urlToken: { readonly parameter: string; readonly token: string | undefined }
  readonly record: (delivery: RecordedDelivery) => void
  /** Receives what was sent for each attempt that the server counts, for the control API. */
  readonly logWire: (deliveryId: string, wire: WireAttempt) => void
  /**
   * Returns whether faults must spare a delivery: it only goes to the collector, while an endpoint under test gets the
   * event, or may get it in another process. Otherwise it would use up the faults that are meant for the endpoint.
   */
  readonly isSpared: (attempted: LoadedDelivery) => boolean | Promise<boolean>
}

/** A request as the profile sends it, which need not be a POST of JSON. */
export type PreparedRequest = Omit<DeliveryRequest, 'method'> & {
  readonly method: string
  /** Added to the URL, without its question mark. */
  readonly query?: string
  /** The event as JSON. @default the body */
  readonly payload?: string
}

const addQuery = (url: string, query: string | undefined): string => {
  if (query === undefined) return url
  const target = new URL(url)
  target.search += `${target.search === '' ? '' : '&'}${query}`
  return target.href
}

/** An attempt and its duplicates. */
type SentAttempt = {
  attempt: RecordedDelivery
  readonly copies: RecordedDelivery[]
  readonly request: WireAttempt['request']
}

const readEvent = (payload: string): WebhookEvent | undefined => {
  const parsed = parseEvent(payload)
  return parsed.kind === 'event' ? parsed.event : undefined
}

/**
 * Leaves out the headers that the server adds. Their values are no secrets, so they need not be hidden in a response, where they
 * help to find a mistake of the endpoint.
 */
const omitSigned = (headers: DeliveryRequest['headers']): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).filter(
      ([name]) => !/^(?:content-type|traceparent|webhook-(?:id|timestamp|signature))$/.test(name),
    ),
  )

const addResponse = (attempt: RecordedDelivery, status: number, responseBody: string): RecordedDelivery => ({
  ...attempt,
  status,
  responseBody,
  acknowledged: status >= 200 && status < 300,
})

const isConcurrent = ({ concurrent = false }: DuplicateFault): boolean => concurrent

const countCopies = (fault: DuplicateFault | undefined): number =>
  fault === undefined ? 0 : (fault.copies ?? 1)

/** Sends the deliveries that the server's dispatcher has signed, and applies faults to them. */
export const createTransport = (options: TransportOptions) => {
  const { faults, targets, timers, prepare, authHeader = '', urlToken, record } = options
  const delays = createDelays(options)
  const sent = new Map<LoadedDelivery, SentAttempt>()
  const attempts = new Map<string, number>()
  const stopped = Promise.withResolvers<never>()
  let isStopped = false
  stopped.promise.catch(() => {})

  const countAttempt = (id: string): number => {
    const number = (attempts.get(id) ?? 0) + 1
    attempts.set(id, number)
    return number
  }

  /** Lists the headers of a request that prove who the sender is. */
  const listCredentials = (headers: Headers, { subscription }: LoadedDelivery): readonly string[] =>
    ['webhook-signature', authHeader, ...Object.keys(subscription.headers)].filter(
      (name) => name !== '' && headers.has(name),
    )

  /** Returns the changed URL, headers and body, or `undefined` if no fault applies. */
  const applyTampering = (
    attempted: LoadedDelivery,
    { url, init }: { readonly url: string; readonly init: PreparedRequest },
  ) => {
    const headers = new Headers(init.headers)
    const { parameter } = urlToken
    const credentials = listCredentials(headers, attempted)
    const signed = { url, headers, body: init.body, parameter, credentials }
    const fault = faults.tamper.take(attempted, (each) => tamper(signed, each) !== undefined)
    return fault && tamper(signed, fault)
  }

  /** Shows a request without the values of its credentials, which may be in the registered URL, but not in the added query. */
  const showRequest = (
    { subscription }: LoadedDelivery,
    {
      headers,
      url,
      query,
      ...sentRequest
    }: Pick<RecordedDelivery, 'headers' | 'body'> & {
      method: string
      url: string
      query: string | undefined
    },
  ): WireAttempt['request'] => {
    const secret = new Set(
      [authHeader, ...Object.keys(subscription.headers)].map((name) => name.toLowerCase()),
    )
    const names = [...headers.keys()]
    return {
      ...sentRequest,
      url: addQuery(maskUrl(url), query),
      headers: Object.fromEntries([...headers].filter(([name]) => !secret.has(name))),
      hiddenHeaders: names.filter((name) => secret.has(name)),
    }
  }

  const createAttempt = (attempted: LoadedDelivery, init: PreparedRequest): RecordedDelivery => {
    const { delivery, event, subscription } = attempted
    const delay = delays.getReason(attempted)
    return {
      id: delivery.webhookId,
      name: event.name,
      event: readEvent(init.payload ?? init.body),
      to: targets.find(subscription.url).name,
      attempt: countAttempt(delivery.id),
      at: timers.now(),
      headers: new Headers(init.headers),
      body: init.body,
      status: undefined,
      responseBody: '',
      error: undefined,
      acknowledged: false,
      outcome: undefined,
      faults: delay ? [delay] : [],
    }
  }

  /** Without an entry, a fault holds the delivery back, which the server counts as an attempt. */
  const toWire = (attempted: LoadedDelivery, entry: SentAttempt | undefined): WireAttempt => {
    const { attempt, copies = [], request } = entry ?? {}
    const held = delays.getReason(attempted)
    const doubled = copies.length > 0 ? ['duplicate'] : []
    return {
      faults: [...(attempt?.faults ?? (held ? [held] : [])), ...doubled],
      request,
      copies: copies.map(({ status = null, responseBody }) => ({ status, responseBody })),
    }
  }

  return {
    fetch: async (
      _url: string,
      init: DeliveryRequest,
      attempted: LoadedDelivery,
    ): Promise<DeliveryResponse> => {
      const isHit = !(await options.isSpared(attempted))
      if (isHit && delays.holds(attempted)) return new Response(null, { status: 204 })
      const prepared = await prepare(init, attempted)
      const genuine = createAttempt(attempted, prepared)
      if (isHit && faults.drop.take(attempted) !== undefined) {
        const attempt: RecordedDelivery = { ...genuine, faults: [...genuine.faults, 'drop'] }
        sent.set(attempted, { attempt, copies: [], request: undefined })
        throw new Error('dropped by faults.deliveries.drop')
      }
      const { send, url: registered } = targets.find(attempted.subscription.url)
      const hasOwn = Object.keys(attempted.subscription.headers).length > 0
      const authenticated = hasOwn ? registered : addParameter(registered, urlToken)
      const forged = isHit ? applyTampering(attempted, { url: authenticated, init: prepared }) : undefined
      const { url = authenticated, ...changed } = forged ?? {}
      const attempt: RecordedDelivery = forged
        ? { ...genuine, ...changed, faults: [...genuine.faults, 'tamper'] }
        : genuine
      const { body, headers } = attempt
      const { method, query } = prepared
      const credentials = omitSigned(prepared.headers)
      const exchange = async () => {
        // Otherwise, an attempt that was being signed could reach the endpoint of the next test.
        if (isStopped) return stopped.promise
        const content = method === 'GET' || method === 'HEAD' ? {} : { body }
        const { body: _, ...rest } = init
        const request = new Request(addQuery(url, query), { ...rest, ...content, method, headers })
        const { response, outcome } = await Promise.race([observeOutcome(request, send), stopped.promise])
        // An endpoint may print the URL or the credentials, as in "Route POST:/webhooks?token=… not found".
        const text = await readResponseBody(response.body, credentials, authenticated)
        return { response: { status: response.status, headers: response.headers, body: text }, outcome }
      }
      const sendOnce = () =>
        exchange().catch((error) => {
          throw hideInError(error, createHide(credentials, authenticated))
        })
      const copies: RecordedDelivery[] = []
      const request = showRequest(attempted, { method, url, query, headers, body })
      const entry: SentAttempt = { attempt, copies, request }
      sent.set(attempted, entry)
      // A copy is recorded before it has a response, because an endpoint may handle it and end before it responds. That does not
      // change the result of the attempt.
      const sendCopy = async (): Promise<void> => {
        const copy: RecordedDelivery = {
          ...attempt,
          attempt: countAttempt(attempted.delivery.id),
          faults: [...attempt.faults, 'duplicate'],
        }
        const place = copies.push({ ...copy, error: 'no response' }) - 1
        const answer = await sendOnce().catch(() => undefined)
        if (answer === undefined) return
        const { response, outcome } = answer
        copies[place] = addResponse({ ...copy, outcome }, response.status, response.body)
      }
      const first = sendOnce()
      const concurrent = isHit ? faults.duplicate.take(attempted, isConcurrent) : undefined
      const concurrentCopies = Array.from({ length: countCopies(concurrent) }, sendCopy)
      await Promise.allSettled([first, ...concurrentCopies])
      const { response, outcome } = await first
      entry.attempt = { ...attempt, outcome }
      if (isHit && faults.timeOut.take(attempted) !== undefined) {
        entry.attempt = { ...attempt, outcome, faults: [...attempt.faults, 'timeOut'] }
        throw new Error('no complete response within the time limit, because of faults.deliveries.timeOut')
      }
      const duplicate = isHit ? faults.duplicate.take(attempted, (fault) => !isConcurrent(fault)) : undefined
      for (let left = countCopies(duplicate); left > 0; left--) await sendCopy()
      return response
    },
    /**
     * Records an attempt once the dispatcher has settled it. Returns `false` for an attempt that a fault held back, or that
     * was released: it is not recorded.
     */
    onSettled: ({ attempted, result, settlement }: AttemptReported): boolean => {
      const found = sent.get(attempted)
      sent.delete(attempted)
      if (result.kind === 'released') return false
      if (settlement.outcome === 'settled') options.logWire(attempted.delivery.id, toWire(attempted, found))
      if (found === undefined) return false
      const { attempt, copies } = found
      const { status, error, responseBody } = result.attempt
      record(
        status === null
          ? { ...attempt, error: error ?? 'no response' }
          : addResponse(attempt, status, responseBody ?? ''),
      )
      for (const copy of copies) record(copy)
      delays.onArrival(attempted)
      return true
    },
    /** Returns whether the `neverRetry` fault prevents retries of a failed delivery, and counts the hit. */
    isLastAttempt: ({ id }: Pick<LoadedDelivery['delivery'], 'id'>): boolean => {
      const attempted = [...sent.keys()].find(({ delivery }) => delivery.id === id)
      return attempted !== undefined && faults.neverRetry.take(attempted) !== undefined
    },
    /** Lists the deliveries whose attempt is under way. */
    listPending: () => [...sent.keys()],
    release: delays.release,
    /** Stops sending, and waiting for responses. */
    stop: (): void => {
      isStopped = true
      stopped.reject(new Error('the mock was closed or reset'))
    },
  }
}
