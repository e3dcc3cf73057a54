import type { DeliveryFetch } from './delivery/attempt.ts'
import type { DeliveryOptions } from './delivery/dispatcher.ts'
import type { RateLimitOptions } from './rate-limit/rate-limits.ts'
import type { Store } from './store.ts'
import type { DeclaredOrganization } from './tenancy/organization-input.ts'
import type { Clock } from './values/clock.ts'
import type { Ids, Random } from './values/ids.ts'

/** Options for `createReferenceServer`. */
export type ReferenceServerOptions = {
  /**
   * Organizations that must exist. They are created, or updated if the store already has them. Keys in the store that
   * are not declared here stay valid.
   * @default []
   */
  readonly organizations?: readonly DeclaredOrganization[] | undefined
  /**
   * The store for all records.
   * @default memoryStore()
   */
  readonly store?: Store | undefined
  /**
   * Source of the current time.
   * @default the machine's clock, whose steps of more than a minute affect only the times in payloads and signatures
   */
  readonly clock?: Clock | undefined
  /**
   * Source of randomness for ids, invite links and retry jitter. A seeded source makes a server reproducible. Keys and
   * signing secrets always use the platform's cryptographic generator.
   * @default the platform's cryptographic generator
   */
  readonly random?: Random | undefined
  /**
   * Creates ids. Event ids must consist of visible ASCII characters without a full stop, because they are sent as
   * `webhook-id`.
   * @default createIds({ clock, random })
   */
  readonly ids?: Ids | undefined
  /**
   * Sends deliveries.
   * @default globalThis.fetch
   */
  readonly fetch?: DeliveryFetch | undefined
  /** Options for sending deliveries. */
  readonly delivery?: DeliveryOptions | undefined
  /** Options for authenticating requests. */
  readonly auth?:
    | {
        /**
         * Name of the header with the API key, either raw or after `Bearer`.
         * @default `authorization` or `x-public-api-key`; if a request has both, they must contain the same key
         */
        readonly header?: string | undefined
      }
    | undefined
  /**
   * Rate limits for requests to the API endpoints; `false` for no limits.
   * @default {} (per minute: 600 per organization, 300 per key, 60 per IP address without a valid key)
   */
  readonly rateLimit?: RateLimitOptions | false | undefined
  /**
   * Allows subscriptions with `http:` URLs of loopback addresses, for local use.
   * @default false
   */
  readonly allowLoopbackHttp?: boolean | undefined
  /**
   * Receives errors that have no caller: a listener threw, the response to a request was 500 or 503, a started
   * dispatcher, or the figures, could not read or write the store, or this machine is short of file descriptors or
   * memory.
   * @default console.error
   */
  readonly onError?: ((error: unknown) => void) | undefined
}
