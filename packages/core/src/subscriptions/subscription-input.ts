import { Channel, type EventName, type Issue, isEventName } from '@wabakit/contract'
import { signWebhook } from '@wabakit/webhooks'
import { findOwnNumber } from '../calls/call-input.ts'
import { InputError } from '../errors/input-error.ts'
import type { OrganizationRecord } from '../records.ts'
import { isStorableText } from '../values/storable-text.ts'

/** Which events go to an URL: `all`, or some by name. */
export type SubscribedEvents = 'all' | readonly EventName[]

/** A new subscription. */
export type SubscriptionInput = {
  readonly channel: Channel
  /** One of the organization's numbers on this channel, in any writing. */
  readonly number: string
  /** Where to send: `https`; `http` only to loopback addresses, and only where the server allows it. */
  readonly url: string
  /** @default 'all' */
  readonly events?: SubscribedEvents | undefined
  /**
   * Standard Webhooks secret: `whsec_` and the base64 of 24 to 64 bytes.
   * @default a random one
   */
  readonly secret?: string | undefined
  /** @default true */
  readonly enabled?: boolean | undefined
}

const loopbackHosts = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/

const urlIssue = (url: string, allowLoopbackHttp: boolean): string | undefined => {
  if (!isStorableText(url) || !URL.canParse(url)) return 'must be an absolute URL'
  const { protocol, hostname, username, password } = new URL(url)
  if (username !== '' || password !== '') return 'must not contain a user name or password'
  if (protocol === 'https:') return undefined
  if (protocol !== 'http:') return 'must start with https://'
  if (!loopbackHosts.test(hostname)) return 'must start with https://; http is for loopback addresses only'
  return allowLoopbackHttp
    ? undefined
    : 'must start with https://; this server was not made with allowLoopbackHttp'
}

/** What is wrong with a target URL, if anything. */
export const checkUrl = (url: string, allowLoopbackHttp: boolean): Issue[] => {
  const message = urlIssue(url, allowLoopbackHttp)
  return message === undefined ? [] : [{ path: 'url', message }]
}

/** What is wrong with a choice of events, if anything. */
export const checkEvents = (events: SubscribedEvents): Issue[] => {
  if (events === 'all') return []
  if (!Array.isArray(events) || events.length === 0)
    return [{ path: 'events', message: "must be 'all' or event names" }]
  return events
    .map((name, index) => ({
      path: `events.${index}`,
      message: `${JSON.stringify(name)} is no known event`,
      name,
    }))
    .filter(({ name }) => !isEventName(name))
    .map(({ path, message }) => ({ path, message }))
}

/** What is wrong with a secret, if anything. */
export const checkSecret = async (secret: string): Promise<Issue[]> => {
  try {
    await signWebhook({ payload: '', secret, id: 'check', timestamp: 0 })
    return []
  } catch {
    return [{ path: 'secret', message: 'must be whsec_ and the base64 of 24 to 64 bytes' }]
  }
}

/** What is wrong with a number, if anything. */
export const checkNumber = (
  organization: OrganizationRecord,
  { channel, number }: SubscriptionInput,
): Issue[] => {
  if (!Channel.safeParse(channel).success) return [{ path: 'channel', message: 'must be PSTN or WHATSAPP' }]
  if (findOwnNumber(organization, channel, number) !== undefined) return []
  return [{ path: 'number', message: `must be a ${channel} number of the organization` }]
}

/** @throws InputError when there is any issue. */
export const refuse = (issues: readonly Issue[]): void => {
  if (issues.length > 0) throw new InputError(issues)
}
