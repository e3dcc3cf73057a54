import type { EndpointName, ErrorCode, EventName, WebhookEvent, WebhookEventOf } from '@wabakit/contract'
import type { ApiFault } from '@wabakit/core/simulation'
import type { ReceiverOutcome } from './delivery/receiver-outcomes.ts'

/** A request to the public API and its outcome. */
export type RecordedRequest = {
  /** The endpoint; `undefined` for an unknown path. */
  readonly endpoint: EndpointName | undefined
  readonly method: string
  /** Path without the query string. */
  readonly path: string
  readonly query: Readonly<Record<string, string>>
  readonly headers: Headers
  /**
   * The body: parsed JSON, other text as received, `undefined` if there was none. One that is too large for the API
   * may be cut.
   */
  readonly body: unknown
  /** Time on the mock's clock, as Unix time in milliseconds. */
  readonly at: number
  /** HTTP status of the response; `undefined` if there was none. */
  readonly status: number | undefined
  /** `ok`, the `code` of the service's error, or `fault` if a fault hit the request. */
  readonly verdict: 'ok' | 'fault' | ErrorCode
  /** The fault that hit the request. */
  readonly fault: ApiFault | undefined
}

/** An attempt to deliver an event, recorded when there is a response or an error. */
export type RecordedDelivery<Event extends WebhookEvent = WebhookEvent> = {
  /** The `webhook-id`: the same for every attempt of a delivery. */
  readonly id: string
  /** The event's name; empty if the payload has none. */
  readonly name: string
  /** The event; `undefined` if the payload is not a known event or does not match the contract. */
  readonly event: Event | undefined
  /** `receiver` (an in-process target), `collector` (while there is no target), or the subscription's URL, with the values of its query masked. */
  readonly to: string
  /** Number of the attempt, from 1. Duplicates count as attempts. */
  readonly attempt: number
  /** Time on the mock's clock, as Unix time in milliseconds. */
  readonly at: number
  /** Headers of the request. */
  readonly headers: Headers
  /** Body of the request. */
  readonly body: string
  /** HTTP status of the response; `undefined` if there was none. */
  readonly status: number | undefined
  /** Start of the response's body. */
  readonly responseBody: string
  /** Why there was no response; `undefined` if there was one. */
  readonly error: string | undefined
  /**
   * Set for a status of 200 to 299. For the `collector`, no longer set once a test has subscribed an endpoint
   * (`webhookUrl` is one), or has waited or added a delivery fault through the control API, because the collector must not stand in for the
   * endpoint under test.
   */
  readonly acknowledged: boolean
  /**
   * The outcome in a wabakit receiver of this process: `handled`, `stored`, `duplicate`, `ignored` (no
   * handler takes it), `in_progress`, `failed`, `unavailable` or `rejected`; `undefined` for other targets, or
   * if a framework copies the request.
   */
  readonly outcome: ReceiverOutcome | undefined
  /** The faults that hit this attempt, except `neverRetry`. */
  readonly faults: readonly ('duplicate' | 'drop' | 'timeOut' | 'tamper' | 'delay' | 'reorder')[]
}

/** A delivery of an event with this name. */
export type DeliveryOf<Name extends EventName> = RecordedDelivery<WebhookEventOf<Name>> & {
  readonly event: WebhookEventOf<Name>
}

/** Something that happened in a test. Times are Unix times in milliseconds on the mock's clock. */
export type Happening = { readonly at: number } & (
  | { readonly kind: 'request'; readonly item: RecordedRequest }
  | { readonly kind: 'event'; readonly item: WebhookEvent }
  | { readonly kind: 'delivery'; readonly item: RecordedDelivery }
  /** A call of a function of the mock, with its arguments, or a request to the control API. */
  | { readonly kind: 'step'; readonly text: string; readonly args: readonly unknown[] | undefined }
  /** The end of a wait or a test; `problem` is empty unless it failed. */
  | { readonly kind: 'wait' | 'test'; readonly text: string; readonly problem: string }
)

type RecorderOptions = {
  /** Returns the time on the mock's clock. */
  readonly now: () => number
  /** Called after each request, event and delivery. */
  readonly onChange: () => void
}

/** Creates the empty recordings of a tenant. */
export const createRecorder = ({ now, onChange }: RecorderOptions) => {
  const requests: RecordedRequest[] = []
  const events: WebhookEvent[] = []
  const deliveries: RecordedDelivery[] = []
  const log: Happening[] = []
  return {
    requests,
    events,
    deliveries,
    /** Everything that happened, in its order. */
    log,
    addRequest: (item: RecordedRequest): void => {
      requests.push(item)
      log.push({ kind: 'request', at: item.at, item })
      onChange()
    },
    addEvent: (item: WebhookEvent): void => {
      events.push(item)
      log.push({ kind: 'event', at: now(), item })
      onChange()
    },
    addDelivery: (item: RecordedDelivery): void => {
      deliveries.push(item)
      log.push({ kind: 'delivery', at: item.at, item })
      onChange()
    },
    addStep: (text: string, args: readonly unknown[] | undefined): void => {
      log.push({ kind: 'step', at: now(), text, args })
    },
    addEnd: (kind: 'wait' | 'test', text: string, problem = ''): void => {
      log.push({ kind, at: now(), text, problem })
    },
  }
}

export type Recorder = ReturnType<typeof createRecorder>
