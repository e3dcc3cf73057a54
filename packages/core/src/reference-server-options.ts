import type { DeliveryFetch } from './delivery/attempt.ts'
import type { DeliveryOptions } from './delivery/dispatcher.ts'
import type { RateLimitOptions } from './rate-limit/rate-limits.ts'
import type { Store } from './store.ts'
import type { DeclaredOrganization } from './tenancy/directory.ts'
import type { Clock } from './values/clock.ts'
import type { Ids, Random } from './values/ids.ts'

/** Options of `createReferenceServer`. */
export type ReferenceServerOptions = {
  /**
   * Organizations that shall exist: created, or, where the store has them already, set to what is declared here. Keys
   * that the store has and the declaration does not name stay valid.
   * @default []
   */
  readonly organizations?: readonly DeclaredOrganization[] | undefined
  /**
   * Where everything is kept.
   * @default memoryStore()
   */
  readonly store?: Store | undefined
  /**
   * Tells the time.
   * @default the machine's clock
   */
  readonly clock?: Clock | undefined
  /**
   * Randomness for ids, invite links and the jitter of retries. A seeded one makes a server repeatable. Keys and
   * signing secrets always come from the platform's cryptographic generator.
   * @default the platform's cryptographic generator
   */
  readonly random?: Random | undefined
  /**
   * Makes ids. Those of events must be visible ASCII characters without a full stop, because they are sent as
   * `webhook-id`.
   * @default createIds({ clock, random })
   */
  readonly ids?: Ids | undefined
  /**
   * Sends deliveries.
   * @default globalThis.fetch
   */
  readonly fetch?: DeliveryFetch | undefined
  /** How deliveries are sent. */
  readonly delivery?: DeliveryOptions | undefined
  /** How requests are authenticated. */
  readonly auth?:
    | {
        /**
         * Name of the header that carries the key, raw or after `Bearer`.
         * @default 'authorization'
         */
        readonly header?: string | undefined
      }
    | undefined
  /**
   * How requests to the endpoints are limited; `false` for not at all.
   * @default {} (600 a minute by organization, 300 by key, 60 by IP for requests without a valid key)
   */
  readonly rateLimit?: RateLimitOptions | false | undefined
  /**
   * Let subscriptions send to `http:` URLs of loopback addresses: for local use.
   * @default false
   */
  readonly allowLoopbackHttp?: boolean | undefined
  /**
   * Gets what went wrong where nobody could be told: a listener that threw, a request answered with 500 or 503, a
   * store that a started dispatcher cannot reach.
   * @default console.error
   */
  readonly onError?: ((error: unknown) => void) | undefined
}
