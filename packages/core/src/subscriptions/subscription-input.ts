import {
  Channel,
  type EventName,
  type HealthEventName,
  healthEventNames,
  type Issue,
  isEventName,
} from '@wabakit/contract'
import { createWebhookSigner } from '@wabakit/webhooks'
import { InputError } from '../errors/operation-errors.ts'
import type { EventChannel, OrganizationRecord } from '../records.ts'
import { findOwnNumber } from '../values/phone-number.ts'
import { isStorableText } from '../values/storable-text.ts'
import type { SubscriptionHeaders } from './subscription-headers.ts'

/** A new subscription. */
export type SubscriptionInput = SubscriptionHeaders & {
  readonly channel: EventChannel
  /** One of the organization's numbers on this channel, compared by its digits. `OPERATIONS` has none. */
  readonly number?: string | undefined
  /** An `https` URL. Loopback addresses may have `http` if the server allows it. */
  readonly url: string
  /** @default 'all' */
  readonly events?: 'all' | readonly (EventName | HealthEventName)[] | undefined
  /**
   * Standard Webhooks secret: `whsec_` and the base64 of 24 to 64 bytes.
   * @default a random one
   */
  readonly secret?: string | undefined
  /**
   * Maximum number of attempts to the endpoint that start per second, from 0.01 to 1,000; `null` for no maximum. It
   * applies after `dispatcher.start()`, but not to `dispatcher.runDue()`.
   * @default null
   */
  readonly maxAttemptsPerSecond?: number | null | undefined
  /** @default true */
  readonly enabled?: boolean | undefined
}

const loopbackHosts = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/

const findUrlProblem = (url: string, allowLoopbackHttp: boolean): string | undefined => {
  if (!isStorableText(url) || !URL.canParse(url)) return 'must be an absolute URL'
  const { protocol, hostname, username, password } = new URL(url)
  if (username !== '' || password !== '') return 'must not contain a user name or password'
  if (protocol === 'https:') return undefined
  if (protocol !== 'http:') return 'must start with https://'
  if (!loopbackHosts.test(hostname)) return 'must start with https://; http is for loopback addresses only'
  return allowLoopbackHttp
    ? undefined
    : 'must start with https://; for http, the server needs the setting allowPrivateTargets (createReferenceServer: allowLoopbackHttp)'
}

export const checkUrl = (url: string, allowLoopbackHttp: boolean): Issue[] => {
  const message = findUrlProblem(url, allowLoopbackHttp)
  return message === undefined ? [] : [{ path: 'url', message }]
}

export const checkEvents = (events: Exclude<SubscriptionInput['events'], undefined>): Issue[] => {
  if (events === 'all') return []
  if (!Array.isArray(events) || events.length === 0)
    return [{ path: 'events', message: "must be 'all' or a list of event names" }]
  return Array.from(events.entries())
    .filter(([, name]) => !isEventName(name) && !isHealthEventName(name))
    .map(([index, name]) => ({
      path: `events.${index}`,
      message: `${JSON.stringify(name)} is not a known event`,
    }))
}

const isHealthEventName = (name: string): boolean => healthEventNames.some((known) => known === name)

export const checkMaxAttempts = (perSecond: number | null): Issue[] =>
  perSecond === null || (perSecond >= 0.01 && perSecond <= 1_000)
    ? []
    : [{ path: 'maxAttemptsPerSecond', message: 'must be a number from 0.01 to 1000, or null' }]

const secretPrefix = 'whsec_'

export const checkSecret = (secret: string): Issue[] => {
  try {
    createWebhookSigner([secret])
    // Receivers accept longer secrets.
    if (secret.startsWith(secretPrefix) && atob(secret.slice(secretPrefix.length)).length <= 64) return []
  } catch {}
  return [{ path: 'secret', message: 'must be whsec_ followed by the base64 of 24 to 64 bytes' }]
}

export const checkNumber = (
  organization: OrganizationRecord,
  { channel, number }: SubscriptionInput,
): Issue[] => {
  if (channel === 'OPERATIONS')
    return number === undefined
      ? []
      : [{ path: 'number', message: 'must be omitted: OPERATIONS has no numbers' }]
  if (!Channel.safeParse(channel).success)
    return [{ path: 'channel', message: 'must be PSTN, WHATSAPP or OPERATIONS' }]
  if (number !== undefined && findOwnNumber(organization, channel, number) !== undefined) return []
  return [{ path: 'number', message: `must be a ${channel} number of the organization` }]
}

/** @throws InputError if there are issues. */
export const assertNoIssues = (issues: readonly Issue[]): void => {
  if (issues.length > 0) throw new InputError(issues)
}
