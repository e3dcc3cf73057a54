import { Channel, eventNames, healthEventNames, type Issue } from '@wabakit/contract'
import { createWebhookSigner } from '@wabakit/webhooks'
import { isMasked, urlMask } from '@wabakit/wire'
import * as z from 'zod/mini'
import { InputError } from '../errors/operation-errors.ts'
import type { OrganizationRecord } from '../records.ts'
import { optional, phoneNumber } from '../values/input-schemas.ts'
import { findOwnNumber } from '../values/phone-number.ts'
import { isStorableText } from '../values/storable-text.ts'
import { SubscriptionHeaders } from './subscription-headers.ts'

/** The network of a number, or `OPERATIONS`, which has no number. */
export const EventChannel = z.enum([...Channel.options, 'OPERATIONS'])

const names = [...eventNames, ...healthEventNames] as const

const Events = z.union([z.literal('all'), z.readonly(z.array(z.enum(names)).check(z.minLength(1)))], {
  // For a list, the errors of its items say more: the position of an unknown event, and the names that are known.
  error: ({ input }) => (Array.isArray(input) ? undefined : "must be 'all' or a list of event names"),
})

const secretPrefix = 'whsec_'

const isSecret = (secret: string): boolean => {
  try {
    createWebhookSigner([secret])
    // The signer also accepts longer secrets, which other senders may use, so the limit is checked here.
    return secret.startsWith(secretPrefix) && atob(secret.slice(secretPrefix.length)).length <= 64
  } catch {
    return false
  }
}

const secret = optional(
  z.string().check(z.refine(isSecret, { error: 'must be whsec_ followed by the base64 of 24 to 64 bytes' })),
  'Signing secret. Default: a random one.',
)

const loopbackHosts = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/

const findUrlProblem = (url: string): string | undefined => {
  if (!isStorableText(url) || !URL.canParse(url)) return 'must be an absolute URL'
  if (isMasked(url)) return `must not contain ${urlMask}, which masks a value. To keep the URL, omit it`
  const { protocol, hostname, username, password } = new URL(url)
  if (username !== '' || password !== '') return 'must not contain a user name or password'
  if (protocol === 'https:') return undefined
  return protocol === 'http:' && loopbackHosts.test(hostname)
    ? undefined
    : 'must start with https://; http:// is for this machine only (http://localhost:3000), where the server allows it'
}

const url = z.string().check(({ value: input, issues }) => {
  const message = findUrlProblem(input)
  if (message !== undefined) issues.push({ code: 'custom', message, input })
}, z.describe('URL that gets the webhooks.'))

const events = {
  /** @default 'all' */
  events: optional(Events, 'Names of events, or all.'),
}

const settings = {
  ...SubscriptionHeaders.shape,
  /**
   * Maximum number of attempts to the endpoint that start per second, from 0.01 to 1,000; `null` for no maximum. It
   * applies after `dispatcher.start()`, but not to `dispatcher.runDue()`.
   * @default null
   */
  maxAttemptsPerSecond: optional(
    z.nullable(z.number().check(z.gte(0.01), z.lte(1_000))),
    'Maximum number of attempts that start per second, such as 5 or 0.5.',
  ),
  /** If false, unfinished and new deliveries are stored as `skipped`. They can be sent again later. @default true */
  enabled: optional(z.boolean(), 'Gets webhooks unless false.'),
}

/** A new subscription. */
export const SubscriptionInput = z.strictObject({
  channel: EventChannel.check(z.describe('Network of the number, or OPERATIONS.')),
  /** One of the organization's numbers on this channel, compared by its digits. `OPERATIONS` has none. */
  number: optional(phoneNumber, "One of the organization's numbers."),
  /** An `https` URL. Loopback addresses may have `http` if the server allows it. */
  url,
  ...events,
  /**
   * Standard Webhooks secret: `whsec_` and the base64 of 24 to 64 bytes.
   * @default a random one
   */
  secret,
  ...settings,
})
export type SubscriptionInput = z.infer<typeof SubscriptionInput>

/**
 * A change to a subscription. Omitted fields do not change. `headers` replaces all static headers. Static headers and
 * `authorization` are secrets of the endpoint: a `url` with another origin removes the headers that the change does not
 * contain.
 */
export const SubscriptionChange = z.strictObject({ url: z.optional(url), ...events, ...settings })
export type SubscriptionChange = z.infer<typeof SubscriptionChange>

/** Options for rotating a secret. @inline */
export const SecretRotation = z.strictObject({
  /** @default a random one */
  secret,
  /**
   * Time during which the old secret also signs, in milliseconds.
   * @default 86,400,000 (24 hours)
   */
  overlapMs: optional(
    z.int().check(z.gte(0)),
    'Time for which the old secret also signs, in milliseconds. Default: a day.',
  ),
})
export type SecretRotation = z.infer<typeof SecretRotation>

/**
 * Returns an issue for an `http` URL unless the server allows it. The schema has already checked that its
 * host is a loopback address.
 */
export const checkUrl = (url: string, allowLoopbackHttp: boolean): Issue[] =>
  allowLoopbackHttp || new URL(url).protocol === 'https:'
    ? []
    : [
        {
          path: 'url',
          message:
            'must start with https://; for http, the server needs the setting allowPrivateTargets (createReferenceServer: allowLoopbackHttp)',
        },
      ]

export const checkNumber = (
  organization: OrganizationRecord,
  { channel, number }: SubscriptionInput,
): Issue[] => {
  if (channel === 'OPERATIONS')
    return number === undefined
      ? []
      : [{ path: 'number', message: 'must be omitted: OPERATIONS has no numbers' }]
  if (number !== undefined && findOwnNumber(organization, channel, number) !== undefined) return []
  return [{ path: 'number', message: `must be a ${channel} number of the organization` }]
}

/** @throws InputError if there are issues. */
export const assertNoIssues = (issues: readonly Issue[]): void => {
  if (issues.length > 0) throw new InputError(issues)
}
