import type { CheckResult } from '../report/report.ts'
import type { PlayCall, Simulate } from './calls/simulate.ts'

/**
 * The server to examine, and everything the checks need. A check without a required option is skipped, and its result
 * names the option.
 */
export type ServerExamination = {
  /** Base URL of the public API. */
  readonly baseUrl: string
  /** A key that may use `wabaNumber`. Without it, nearly every check is skipped. */
  readonly apiKey?: string | undefined
  /** A WABA number of the organization, used to create groups. */
  readonly wabaNumber?: string | undefined
  /** A key of the same organization that may not use `wabaNumber`. */
  readonly otherKey?: string | undefined
  /** A key of another organization. */
  readonly foreignKey?: string | undefined
  /** A WABA number of the organization, with a disabled integration. */
  readonly disabledNumber?: string | undefined
  /**
   * `live`: sends the key in the header that live services document for each path, and accepts their documented
   * behavior where it differs from the reference.
   * @default 'reference'
   */
  readonly profile?: 'reference' | 'live' | undefined
  /** Header that carries the key. @default 'Authorization' */
  readonly authHeader?: string | undefined
  /** `host:port` where acceptance receives the server's webhooks. Port 0 chooses a free port. */
  readonly listen?: string | undefined
  /**
   * Called with the URL of `listen` before the first request, so that it can be subscribed. Use the paths `/pstn` and
   * `/whatsapp` to distinguish channels.
   */
  readonly onListening?: ((url: string) => void | Promise<void>) | undefined
  /** The secret that the server signs webhooks with, such as `whsec_…`. */
  readonly secret?: string | undefined
  /**
   * A function that makes a call happen and resolves to its id, or a shell command that prints the id. `{outcome}` and
   * `{channel}` in the command are replaced. Outcomes are `answered`, `missed`, `rejected`, `no_recording`
   * and `nothing_said`; channels are `PSTN` and `WHATSAPP`.
   */
  readonly play?: string | PlayCall | undefined
  /** Actions that only the server can perform. */
  readonly simulate?: Simulate | undefined
  /**
   * URL of a wabakit server, whose control API creates an organization and provides everything above except `baseUrl`.
   */
  readonly wabakitControl?: string | undefined
  /** Token of that control API. */
  readonly controlToken?: string | undefined
  /**
   * Ids of the checks to run, or id prefixes such as `create.subject`. The positive control always runs.
   * @default all
   */
  readonly only?: readonly string[] | undefined
  /** Also fails the run if any check results in `advice`. @default false */
  readonly strict?: boolean | undefined
  /**
   * Seed of the random sequences. The same seed results in the same requests, except for group ids.
   * @default a random one
   */
  readonly seed?: number | undefined
  /** Duration of the random sequences, in minutes. 0 skips them. @default 0.05 */
  readonly minutes?: number | undefined
  /** Maximum time to wait for a response or a webhook, in milliseconds. @default 10_000 */
  readonly timeoutMs?: number | undefined
  /** Maximum time to wait for the second attempt of a failed delivery, in milliseconds. @default 15_000 */
  readonly retryTimeoutMs?: number | undefined
  /** Time to wait for a webhook that must not arrive, in milliseconds. @default 1_500 */
  readonly quietMs?: number | undefined
  /** Called before the first check, with the number of checks. */
  readonly onStart?: ((run: { readonly checks: number }) => void) | undefined
  /** Called with each result as soon as it is known. */
  readonly onResult?: ((result: CheckResult) => void) | undefined
  /** Sends the requests. @default globalThis.fetch */
  readonly fetch?: ((url: string, init: RequestInit) => Promise<Response>) | undefined
}
