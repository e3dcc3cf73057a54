import { DeclaredOrganization } from '@wabakit/core/hosting'
import { LiveSettings } from '@wabakit/core/simulation'
import { createWebhookSigner } from '@wabakit/webhooks'
import { isBlockedPort } from '@wabakit/wire'
import * as z from 'zod/mini'

/** The documentation of a setting. @inline */
export type SettingFacts = {
  readonly about: string
  /** The completion of the sentence "must be …". */
  readonly form: string
  /** A description of the default if it is not a constant. */
  readonly otherwise?: string
  /** Set if errors must not show the value. */
  readonly secret?: true
  /** Set for a setting that only the configuration file can contain. */
  readonly fileOnly?: true
}

export const settingFacts = z.registry<SettingFacts>()

const text = () => z.string().check(z.minLength(1))
const secret = () => z.string().check(z.regex(/^[!-~]{16,}$/))

const wholeNumber = (about: string, [min, max]: readonly [min: number, max: number], value: number) =>
  z._default(z.int().check(z.gte(min), z.lte(max)), value).register(settingFacts, {
    about,
    form: `a whole number from ${min} to ${max}`,
  })

const hasNoCredentials = (text: string): boolean => {
  if (!URL.canParse(text)) return true
  const { username, password } = new URL(text)
  return username === '' && password === ''
}

const isSigningSecret = (text: string): boolean => {
  try {
    createWebhookSigner([text])
    return text.startsWith('whsec_')
  } catch {
    return false
  }
}

/** The settings of a server. The file, the variables, the flags and the documentation are derived from this schema. */
export const ServerConfig = z.strictObject({
  host: z._default(text(), '127.0.0.1').register(settingFacts, {
    about: 'Address to listen on. A `controlToken` is required if it is not a loopback address.',
    form: 'an address or a host name',
  }),
  port: z
    ._default(
      z.int().check(
        z.gte(0),
        z.lte(65_535),
        z.refine((port) => !isBlockedPort(port)),
      ),
      4_100,
    )
    .register(settingFacts, {
      about: 'Port to listen on. 0 selects a free port.',
      form: 'a whole number from 0 to 65535 that fetch and browsers do not block, such as 4100',
    }),
  database: z._default(text(), './wabakit.db').register(settingFacts, {
    about: 'Database: a SQLite file, a PostgreSQL database, or `:memory:` to keep nothing.',
    form: 'a path, a `postgres://` URL or `:memory:`',
    secret: true,
  }),
  role: z._default(z.enum(['all', 'api', 'worker']), 'all').register(settingFacts, {
    about:
      'What this process does: serve requests (`api`), deliver webhooks (`worker`) or both. `api` and `worker` require PostgreSQL.',
    form: '`all`, `api` or `worker`',
  }),
  controlToken: z.optional(secret()).register(settingFacts, {
    about: 'Token that clients of the control API must send as `Authorization: Bearer …`.',
    form: 'at least 16 visible ASCII characters',
    otherwise: 'none; clients on this machine need no token',
    secret: true,
  }),
  metricsToken: z.optional(secret()).register(settingFacts, {
    about: 'Token that clients of `/metrics` must send as `Authorization: Bearer …`.',
    form: 'at least 16 visible ASCII characters',
    otherwise: 'none; every client that can reach the server can read the metrics',
    secret: true,
  }),
  publicUrl: z.optional(z.url({ protocol: /^https?$/ })).register(settingFacts, {
    about:
      'URL at which other machines reach the server, for example through a proxy. The inspector and `/metrics` then work at this URL, too.',
    form: 'an http or https URL',
    otherwise: 'the address that the server listens on',
  }),
  trustProxy: wholeNumber(
    'Number of proxies in front of the server. The address of a client is that entry of `X-Forwarded-For`, counted from the end. With 0, the header is ignored.',
    [0, 10],
    0,
  ),
  authHeader: z.optional(z.string().check(z.regex(/^[\w!#$%&'*+.^`|~-]+$/))).register(settingFacts, {
    about: 'Request header of the public API that contains the API key.',
    form: 'a header name',
    otherwise: '`Authorization` or `x-public-api-key`; if both are sent, they must contain the same key',
  }),
  allowPrivateTargets: z.optional(z.boolean()).register(settingFacts, {
    about:
      'Whether webhooks may be sent to private addresses over https, and to loopback addresses over http.',
    form: '`true` or `false`',
    otherwise: '`true` if `host` is a loopback address, otherwise `false`',
  }),
  operationsUrl: z.optional(z.url().check(z.refine(hasNoCredentials))).register(settingFacts, {
    about:
      'URL to send events about the health of the subscriptions of all organizations to. Requires `operationsSecret`.',
    form: 'a URL without a user name or password',
    otherwise: 'none',
    secret: true,
  }),
  operationsSecret: z.optional(z.string().check(z.refine(isSigningSecret))).register(settingFacts, {
    about: 'Secret that signs these webhooks.',
    form: '`whsec_` and the base64 of 24 to 64 bytes',
    otherwise: 'none',
    secret: true,
  }),
  deliveryConcurrency: wholeNumber(
    'Maximum number of concurrent deliveries to endpoints that respond quickly. Those to endpoints that are slow, failing or new do not count; another one starts only while fewer than 16 times this number are under way.',
    [1, 10_000],
    64,
  ),
  deliveryConcurrencyPerSubscription: wholeNumber(
    'Maximum number of concurrent deliveries to one subscription. A new or failing subscription gets one at a time.',
    [1, 10_000],
    8,
  ),
  rateLimitPerOrganization: wholeNumber(
    'Maximum number of requests to the public API per organization and minute. 0 means no limit.',
    [0, 1_000_000_000],
    600,
  ),
  rateLimitPerKey: wholeNumber(
    'Maximum number of requests to the public API per API key and minute. 0 means no limit.',
    [0, 1_000_000_000],
    300,
  ),
  rateLimitPerCall: wholeNumber(
    'Maximum number of requests for the summary of one call per minute. 0 means no limit. A server with `sandbox` has none.',
    [0, 1_000_000_000],
    30,
  ),
  rateLimitPerAddress: wholeNumber(
    'Maximum number of requests without a valid key or token per IP address (IPv6: /64 network) and minute. 0 means no limit.',
    [0, 1_000_000_000],
    60,
  ),
  retentionDays: wholeNumber(
    'Number of days after which finished deliveries, events without other deliveries, figures, and the log of API requests are removed.',
    [1, 3_650],
    30,
  ),
  recordRetentionDays: z.optional(z.int().check(z.gte(1), z.lte(36_500))).register(settingFacts, {
    about:
      'Number of days after their last change after which calls with their summaries, groups, and participants who are no longer in a group are removed.',
    form: 'a whole number from 1 to 36500',
    otherwise: 'none; they are kept',
  }),
  maxConnections: wholeNumber(
    'Maximum number of concurrent connections. Further ones are closed immediately. Without `trustProxy`, one IP address (IPv6: /64 network) can have half of them.',
    [1, 1_000_000],
    10_000,
  ),
  requestTimeoutMs: wholeNumber(
    'Maximum time in which a request must arrive completely, in milliseconds.',
    [1_000, 600_000],
    30_000,
  ),
  drainMs: z.optional(z.int().check(z.gte(0), z.lte(600_000))).register(settingFacts, {
    about:
      'Time between SIGTERM and the stop, in milliseconds. Requests are still served, but `/readyz` returns 503, and each response closes its connection. Set it above the time in which your load balancer notices this. SIGINT skips it.',
    form: 'a whole number from 0 to 600000',
    otherwise: '10000 if `trustProxy` is above 0, otherwise 0; always 0 for the role `worker`',
  }),
  shutdownGraceMs: wholeNumber(
    'Maximum time for running requests and deliveries to finish after SIGTERM or SIGINT and `drainMs`, in milliseconds.',
    [0, 18_000],
    10_000,
  ),
  logLevel: z._default(z.enum(['debug', 'info', 'warn', 'error', 'silent']), 'info').register(settingFacts, {
    about: 'Minimum level of log lines. The log goes to standard error.',
    form: '`debug`, `info`, `warn`, `error` or `silent`',
  }),
  logFormat: z.optional(z.enum(['pretty', 'json'])).register(settingFacts, {
    about: 'Format of the log: human-readable text, or one JSON object per line.',
    form: '`pretty` or `json`',
    otherwise: '`pretty` on a terminal, otherwise `json`',
  }),
  webhookUrl: z.optional(z.url().check(z.refine(hasNoCredentials))).register(settingFacts, {
    about: 'URL to send all events of the demo organization to.',
    form: 'a URL without a user name or password',
    otherwise: 'none',
    secret: true,
  }),
  webhookHeader: z
    .optional(z.string().check(z.regex(/^[\w!#$%&'*+.^`|~-]+: *[!-~](?:[ -~]*[!-~])?$/)))
    .register(settingFacts, {
      about: 'Header that authenticates these webhooks.',
      form: 'a name and a value, such as `authorization: Bearer …`, of visible ASCII characters, with spaces only between them',
      otherwise: 'none',
      secret: true,
    }),
  sandbox: z._default(z.boolean(), false).register(settingFacts, {
    about:
      'Whether this server is for tests: the control API may inject faults into the public API, and send any payload to any URL.',
    form: '`true` or `false`',
  }),
  profile: z
    ._default(z.string().check(z.regex(/^(?:reference|live|.*\.json)$/s)), 'reference')
    .register(settingFacts, {
      about:
        'What a server with `sandbox` imitates: this service, what a live one publishes, or what `wabakit probe` and `capture` measured.',
      form: '`reference`, `live` or, for `exec --mock`, the path of a `wabakit.profile.json`',
    }),
  live: z.optional(LiveSettings).register(settingFacts, {
    about:
      'What the profile `live` sends, where live services differ: `groupEventNames`, `nullFields`, `pstnCalling`, `dropCredentials` and `retryOnTimeout`, as in `createMock`.',
    form: 'an object of these settings',
    otherwise: 'their defaults',
    fileOnly: true,
  }),
  seed: z.optional(z.int()).register(settingFacts, {
    about: 'Seed of a server with `sandbox`, which repeats its made-up data and random faults.',
    form: 'a whole number',
    otherwise: 'drawn',
  }),
  organizations: z._default(z.array(DeclaredOrganization), []).register(settingFacts, {
    about: 'Organizations to create or update at the start, with their numbers and API keys.',
    form: 'a list of organizations',
    fileOnly: true,
  }),
})
export type ServerConfig = z.infer<typeof ServerConfig>

/** The name of a setting. @inline */
export type SettingName = keyof typeof ServerConfig.shape
