import { JoinApprovalMode } from '@wabakit/contract'
import * as z from 'zod/mini'

/** What people are told about a setting. */
export type SettingFacts = {
  /** What it does; a sentence or two. */
  readonly about: string
  /** What it must be, as the end of the sentence "must be …". */
  readonly form: string
  /** What holds when it is not set, where that is no plain value. */
  readonly otherwise?: string
  /** Never shown. */
  readonly secret?: true
  /** Too large for a flag: set in the file only. */
  readonly fileOnly?: true
}

/** The facts of each setting's schema. */
export const settingFacts = z.registry<SettingFacts>()

const text = () => z.string().check(z.minLength(1))
/** Long enough that nobody guesses it. */
const secret = (message?: string) => z.string().check(z.regex(/^[!-~]{16,}$/, message))
const whole = (least: number, most: number) => z.int().check(z.gte(least), z.lte(most))

const hasNoCredentials = (text: string): boolean => {
  if (!URL.canParse(text)) return true
  const { username, password } = new URL(text)
  return username === '' && password === ''
}

/** An organization that is there when the server has started. One that exists gets these settings, and keeps its keys. */
export const SeedOrganization = z.strictObject({
  id: text(),
  integrations: z.optional(
    z.array(
      z.strictObject({
        wabaNumber: text(),
        enabled: z.optional(z.boolean()),
        joinApprovalMode: z.optional(JoinApprovalMode),
      }),
    ),
  ),
  pstnNumbers: z.optional(z.array(text())),
  callSummaries: z.optional(z.enum(['automatic', 'manual'])),
  apiKeys: z.optional(
    z.array(
      z.strictObject({
        key: secret(
          `must have at least 16 visible ASCII characters. Make one: node -p "'wk_' + crypto.randomBytes(24).toString('hex')"`,
        ),
        label: z.optional(z.string()),
        wabaNumbers: z.optional(z.union([z.literal('all'), z.array(text())])),
      }),
    ),
  ),
})
export type SeedOrganization = z.infer<typeof SeedOrganization>

/** All settings of a server: the one schema behind the file, the variables, the flags and their documentation. */
export const ServerConfig = z.strictObject({
  host: z._default(text(), '127.0.0.1').register(settingFacts, {
    about: 'Address to listen on. Any other than a loopback one needs a `controlToken`.',
    form: 'an address or a host name',
  }),
  port: z._default(whole(0, 65_535), 4_100).register(settingFacts, {
    about: 'Port to listen on; 0 takes a free one.',
    form: 'a whole number from 0 to 65535',
  }),
  database: z._default(text(), './wabakit.db').register(settingFacts, {
    about:
      'Where everything is kept: a SQLite file, a PostgreSQL database, or `:memory:` to forget it at the end.',
    form: 'a path, a `postgres://` URL or `:memory:`',
    secret: true,
  }),
  role: z._default(z.enum(['all', 'api', 'worker']), 'all').register(settingFacts, {
    about:
      'What this process does: answer requests, deliver webhooks, or both. To share the work needs PostgreSQL.',
    form: '`all`, `api` or `worker`',
  }),
  controlToken: z.optional(secret()).register(settingFacts, {
    about: 'What callers of the control API must send as `Authorization: Bearer …`.',
    form: 'at least 16 visible ASCII characters',
    otherwise: 'none: callers on this machine need no token',
    secret: true,
  }),
  metricsToken: z.optional(secret()).register(settingFacts, {
    about: 'What callers of `/metrics` must send as `Authorization: Bearer …`.',
    form: 'at least 16 visible ASCII characters',
    otherwise: 'none: everybody who reaches the server may read them',
    secret: true,
  }),
  publicUrl: z.optional(z.url({ protocol: /^https?$/ })).register(settingFacts, {
    about:
      'Where others reach the server, behind a proxy for instance. The control API then answers to this host, too.',
    form: 'an http or https URL',
    otherwise: 'the address it listens on',
  }),
  trustProxy: z._default(whole(0, 10), 0).register(settingFacts, {
    about:
      'How many proxies stand in front. Callers are then told apart by that entry of `X-Forwarded-For`, counted from its end. With 0 the header means nothing.',
    form: 'a whole number from 0 to 10',
  }),
  authHeader: z
    ._default(z.string().check(z.regex(/^[\w!#$%&'*+.^`|~-]+$/)), 'Authorization')
    .register(settingFacts, {
      about: 'Header of the public API that carries the key.',
      form: 'the name of a header',
    }),
  allowPrivateTargets: z.optional(z.boolean()).register(settingFacts, {
    about: 'Whether webhooks may go to private addresses by https, and to loopback ones by http.',
    form: '`true` or `false`',
    otherwise: '`true` when `host` is a loopback address, else `false`',
  }),
  deliveryConcurrency: z._default(whole(1, 10_000), 64).register(settingFacts, {
    about:
      'Maximum number of concurrent deliveries to endpoints that respond quickly; 16 times as many wait for endpoints that are slow, failing or new.',
    form: 'a whole number from 1 to 10000',
  }),
  deliveryConcurrencyPerSubscription: z._default(whole(1, 10_000), 8).register(settingFacts, {
    about:
      'Maximum number of concurrent deliveries to one subscription; one that is new or failing gets one at a time.',
    form: 'a whole number from 1 to 10000',
  }),
  rateLimitPerOrganization: z._default(whole(0, 1_000_000_000), 600).register(settingFacts, {
    about: 'Requests of the public API that an organization may make in a minute; 0 for any number.',
    form: 'a whole number from 0 to 1000000000',
  }),
  rateLimitPerKey: z._default(whole(0, 1_000_000_000), 300).register(settingFacts, {
    about: 'The same for each of its keys.',
    form: 'a whole number from 0 to 1000000000',
  }),
  rateLimitPerAddress: z._default(whole(0, 1_000_000_000), 60).register(settingFacts, {
    about: 'The same for an IP address (an IPv6 /64) without a valid key or token.',
    form: 'a whole number from 0 to 1000000000',
  }),
  retentionDays: z._default(whole(1, 3_650), 30).register(settingFacts, {
    about: 'Days after which settled deliveries, and events without any other, are removed.',
    form: 'a whole number from 1 to 3650',
  }),
  maxConnections: z._default(whole(1, 1_000_000), 10_000).register(settingFacts, {
    about: 'Most connections at the same time; further ones are closed at once.',
    form: 'a whole number from 1 to 1000000',
  }),
  requestTimeoutMs: z._default(whole(1_000, 600_000), 30_000).register(settingFacts, {
    about: 'Longest time in which a request must have arrived completely, in milliseconds.',
    form: 'a whole number from 1000 to 600000',
  }),
  shutdownGraceMs: z._default(whole(0, 18_000), 10_000).register(settingFacts, {
    about: 'How long running requests and deliveries may go on after SIGTERM or SIGINT, in milliseconds.',
    form: 'a whole number from 0 to 18000',
  }),
  logLevel: z._default(z.enum(['debug', 'info', 'warn', 'error', 'silent']), 'info').register(settingFacts, {
    about: 'What is logged, to standard error.',
    form: '`debug`, `info`, `warn`, `error` or `silent`',
  }),
  logFormat: z.optional(z.enum(['pretty', 'json'])).register(settingFacts, {
    about: 'How it is logged: for people, or one JSON object per line.',
    form: '`pretty` or `json`',
    otherwise: '`pretty` on a terminal, else `json`',
  }),
  webhookUrl: z.optional(z.url().check(z.refine(hasNoCredentials))).register(settingFacts, {
    about: 'Where all events of the demo organization go. There is one in a store that nobody has set up.',
    form: 'a URL without a user name or password',
    otherwise: 'nowhere',
    secret: true,
  }),
  mock: z._default(z.boolean(), false).register(settingFacts, {
    about: 'Whether the control API may inject faults into the public API.',
    form: '`true` or `false`',
  }),
  organizations: z._default(z.array(SeedOrganization), []).register(settingFacts, {
    about: 'Organizations to have, with their numbers and keys.',
    form: 'a list of organizations',
    fileOnly: true,
  }),
})
export type ServerConfig = z.infer<typeof ServerConfig>

/** Name of a setting. */
export type SettingName = keyof typeof ServerConfig.shape
