import type { CheckResult } from '../report/report.ts'
import type { ExaminerFetch } from './api/create-sender.ts'
import type { PlayCall, Simulate } from './calls/simulate.ts'

/** The server to examine, and what the examiner may use. Checks that lack something are skipped, and report what. */
export type ServerExamination = {
  /** Base URL of the public API. */
  readonly baseUrl: string
  /** A key that may use `wabaNumber`. Without it, nearly every check is skipped. */
  readonly apiKey?: string | undefined
  /** A WABA number of the organization. Groups are created on it. */
  readonly wabaNumber?: string | undefined
  /** A key of the same organization that may not use `wabaNumber`. */
  readonly otherKey?: string | undefined
  /** A WABA number of the organization whose integration is disabled. */
  readonly disabledNumber?: string | undefined
  /**
   * Header that carries the key.
   * @default 'Authorization'
   */
  readonly authHeader?: string | undefined
  /** `host:port` at which the examiner receives the server's webhooks; port 0 takes a free one. */
  readonly listen?: string | undefined
  /** Gets the URL of `listen` before the first request, to subscribe it. Paths `/pstn` and `/whatsapp` tell channels apart. */
  readonly onListening?: ((url: string) => void | Promise<void>) | undefined
  /** `whsec_…` with which the server signs them. */
  readonly secret?: string | undefined
  /**
   * A function that makes a call happen and resolves with its id, or a shell command that prints the id. `{outcome}` and `{channel}` of
   * the command are filled in. Outcomes are `answered`, `missed`, `rejected`, `not_picked`, `no_recording` and
   * `nothing_said`; channels are `PSTN` and `WHATSAPP`.
   */
  readonly play?: string | PlayCall | undefined
  /** Functions that only the server itself can perform. */
  readonly simulate?: Simulate | undefined
  /** URL of a wabakit server whose control API fills in everything above except `baseUrl`, on its own organization. */
  readonly wabakitControl?: string | undefined
  /** Token of that control API. */
  readonly controlToken?: string | undefined
  /**
   * Checks to run: their ids, or beginnings of ids such as `create.subject`. The positive control always runs.
   * @default all
   */
  readonly only?: readonly string[] | undefined
  /**
   * Make advice fail the run, too.
   * @default false
   */
  readonly strict?: boolean | undefined
  /**
   * Seed of the random sequences: the same seed makes the same requests, except for group ids.
   * @default a random one
   */
  readonly seed?: number | undefined
  /**
   * Duration of the random sequences; 0 skips them.
   * @default 0.05
   */
  readonly minutes?: number | undefined
  /**
   * Maximum time to wait for a response or a webhook, in milliseconds.
   * @default 10_000
   */
  readonly timeoutMs?: number | undefined
  /**
   * Maximum time to wait for the second attempt of a failed delivery, in milliseconds.
   * @default 15_000
   */
  readonly retryTimeoutMs?: number | undefined
  /**
   * Time to wait for a webhook that must not arrive, in milliseconds.
   * @default 1_500
   */
  readonly quietMs?: number | undefined
  /** Gets each result as soon as it is known. */
  readonly onResult?: ((result: CheckResult) => void) | undefined
  /**
   * Sends the requests.
   * @default globalThis.fetch
   */
  readonly fetch?: ExaminerFetch | undefined
}
