import { JoinApprovalMode } from '@wabakit/contract'
import { LiveSettings, SubscriptionInput, type WebhookAuth } from '@wabakit/core/simulation'
import { isBlockedPort } from '@wabakit/wire'
import * as z from 'zod/mini'

const limit = () =>
  z.optional(
    z.union([
      z.literal(false),
      z.strictObject({ requests: z.int().check(z.minimum(1)), perMs: z.number().check(z.positive()) }),
    ]),
  )

const flag = () => z.optional(z.boolean())

const webhookAuthSchema = z.union(
  [
    z.strictObject({
      urlToken: z.string().check(z.minLength(1)),
      parameter: z.optional(z.string().check(z.minLength(1))),
    }),
    z.strictObject({ header: z.string().check(z.minLength(1)), value: z.string() }),
    z.strictObject({ token: z.string() }),
    z.strictObject({ username: z.string(), password: z.string(), encoded: flag() }),
  ] satisfies z.ZodMiniType<WebhookAuth>[],
  {
    error:
      'webhookAuth must be { urlToken, parameter }, { header, value }, { token }, or { username, password, encoded }',
  },
)

/** Settings of a tenant's organization. */
export const TenantSettings = z.strictObject({
  /**
   * `automatic`: a summary for every call that can have one. `manual`: only on request.
   * @default 'automatic'
   */
  callSummaries: z.optional(z.enum(['automatic', 'manual'])),
  /** Join approval mode for groups whose request does not specify one. @default 'auto_approve' */
  joinApprovalMode: z.optional(JoinApprovalMode),
  /** Allows creating groups. With `false`, the API responds with 422 `integration_disabled`. @default true */
  integrationEnabled: z.optional(z.boolean()),
  /**
   * Request limits per organization, per key, and per address without a valid key, as in the reference
   * server. Each is `{ requests, perMs }`, or `false` for no limit.
   * @default false
   */
  rateLimit: z.optional(
    z.union([z.literal(false), z.strictObject({ organization: limit(), key: limit(), ip: limit() })]),
  ),
  /** Request header that carries the API key. @default `authorization` or `x-public-api-key` */
  authHeader: z.optional(
    z.string().check(
      z.refine((name) => /^[\w!#$%&'*+.^`|~-]+$/.test(name), {
        error: 'authHeader must be the name of a header',
      }),
    ),
  ),
  /**
   * URL that gets the events of both numbers over HTTP: `https`, or `http` to a loopback address. In the profile `reference`, the
   * tenant's secret signs the requests. A reset keeps the URL.
   * @default none
   */
  webhookUrl: z.optional(SubscriptionInput.shape.url),
  /**
   * Credentials that every webhook carries, unless its subscription has its own headers: `{ urlToken }` (a
   * parameter of the URL, `token` or `parameter`, unless the URL already has it), `{ header, value }`, `{ token }`
   * (Bearer), or `{ username, password }` (Basic; `encoded: false` leaves out Base64). In the profile `reference`,
   * the signature is sent as well. `live.dropCredentials` and measured profiles can leave out headers.
   * @default none
   */
  webhookAuth: z.optional(webhookAuthSchema),
  /** Differences between live services, in the profile `live` and in measured ones. */
  live: z.optional(
    z.extend(LiveSettings, {
      /**
       * How many times the receiver of `deliverTo` and the `webhookUrl` were registered, 1 to 10. A live service adds a webhook
       * each time, and delivers to each.
       * @default 1
       */
      registrations: z.optional(z.int().check(z.minimum(1), z.maximum(10))),
    }),
  ),
})
export type TenantSettings = z.infer<typeof TenantSettings>

/** Options for {@link createMock}. */
export const MockOptions = z.extend(TenantSettings, {
  /**
   * Seed for keys, numbers, ids, generated data and random faults; a whole number.
   * @default the environment variable WABAKIT_SEED, otherwise drawn at random
   */
  seed: z.optional(z.int()),
  /**
   * `reference`: the service that the specification describes. `live`: the differences that a live service
   * documents, read strictly: unsigned webhooks in another format, a different key header for each path, and
   * 404 for summaries of WhatsApp calls. The path of a `wabakit.profile.json`, or its parsed content: a service as
   * `wabakit probe` and `wabakit capture` measured it. What was not measured is as in `live`, and values that contradict each
   * other follow one another.
   * @default the environment variable WABAKIT_PROFILE, otherwise 'reference'
   */
  profile: z.optional(z.union([z.string(), z.record(z.string(), z.unknown())])),
  /** Port to listen on; 0 for a free one. @default none: the mock runs in process */
  port: z.optional(
    z.int().check(
      z.minimum(0),
      z.maximum(65_535),
      z.refine((port) => !isBlockedPort(port), {
        error: 'port must be one that fetch and browsers do not block, such as 4100, or 0 for a free one',
      }),
    ),
  ),
  /**
   * Address to listen on, such as `0.0.0.0` for other machines. Any but `127.0.0.1`, `::1`, `localhost` and names that end
   * in `.localhost` needs a `controlToken`.
   * @default '127.0.0.1'
   */
  host: z.optional(z.string().check(z.minLength(1))),
  /**
   * Token of the control API on the port, at least 16 characters, which its clients send as `Authorization: Bearer …`.
   * @default none: programs and pages of this machine may control the mock
   */
  controlToken: z.optional(z.string().check(z.minLength(16))),
  /**
   * `virtual`: time passes only when the test, or a wait of a client of the mock, advances it. `machine`: the machine's
   * clock, for a mock that people or other processes use.
   * @default 'virtual'
   */
  clock: z.optional(z.enum(['virtual', 'machine'])),
  /**
   * Start of the virtual clock, from 1970 on: an ISO 8601 date-time, or Unix time in milliseconds. Not with the machine's
   * clock.
   * @default '2026-01-01T10:00:00.000Z'
   */
  startAt: z.optional(
    z.union([z.number(), z.string()]).check(
      z.refine((start) => new Date(start).getTime() >= 0, {
        error: 'startAt must be an ISO 8601 date-time, or Unix time in milliseconds, from 1970 on',
      }),
    ),
  ),
})
export type MockOptions = z.infer<typeof MockOptions>
