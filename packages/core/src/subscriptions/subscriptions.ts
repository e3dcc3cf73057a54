import { generateSecret } from '@wabakit/webhooks'
import { RecordNotFoundError } from '../errors/record-errors.ts'
import type { SubscriptionRecord } from '../records.ts'
import type { ServerContext } from '../server-context.ts'
import type { Page, PageRequest } from '../store.ts'
import { getOrganization } from '../tenancy/organizations.ts'
import { checkNumbers } from '../values/check-numbers.ts'
import { parseInput } from '../values/input-schemas.ts'
import { toDigits } from '../values/phone-number.ts'
import { checkIdentifiers } from '../values/storable-text.ts'
import { changeHeaders, checkAuthorization } from './subscription-headers.ts'
import {
  assertNoIssues,
  checkNumber,
  checkUrl,
  SecretRotation,
  SubscriptionChange,
  SubscriptionInput,
} from './subscription-input.ts'

/** A subscription without its secrets. */
export type Subscription = Omit<SubscriptionRecord, 'secret' | 'previousSecret' | 'headers' | 'digits'> & {
  readonly enabled: boolean
  /** The names of its static headers, and `authorization` if it has one. */
  readonly headerNames: readonly string[]
  /**
   * Time until which the previous secret also signs, as Unix time in milliseconds, even if it is over; `null` if there
   * is none.
   */
  readonly previousSecretExpiresAt: number | null
}

/** A subscription with its new secret, which cannot be read again. */
export type SubscriptionWithSecret = Subscription & { readonly secret: string }

/**
 * The webhook subscriptions of a server. `update`, `rotateSecret` and `remove` throw `RecordNotFoundError` if the
 * organization has no such subscription.
 */
export type Subscriptions = {
  /**
   * Subscribes a URL to the events of one number, or to subscription health events (`OPERATIONS`).
   *
   * @throws InputError if a field is invalid, or the organization does not have the number.
   * @throws RecordNotFoundError if there is no such organization.
   */
  create(organizationId: string, input: SubscriptionInput): Promise<SubscriptionWithSecret>
  /** Lists an organization's subscriptions, oldest first. */
  list(organizationId: string, page?: Partial<PageRequest>): Promise<Page<Subscription>>
  /** Finds a subscription by its id; `undefined` if there is none. */
  find(organizationId: string, subscriptionId: string): Promise<Subscription | undefined>
  /**
   * Changes a subscription.
   *
   * @throws InputError if a field is invalid.
   */
  update(organizationId: string, subscriptionId: string, change: SubscriptionChange): Promise<Subscription>
  /**
   * Sets a new secret. Until the overlap ends, after 24 hours or `overlapMs`, webhooks carry the signatures of both secrets
   * (`listSecrets` in `delivery/attempt.ts`). Another rotation within that time ends the oldest of the three.
   */
  rotateSecret(
    organizationId: string,
    subscriptionId: string,
    rotation?: SecretRotation,
  ): Promise<SubscriptionWithSecret>
  /** Removes a subscription with its deliveries. To keep the deliveries, disable it instead. */
  remove(organizationId: string, subscriptionId: string): Promise<void>
}

const toSubscription = ({
  secret: _,
  previousSecret,
  headers,
  digits: __,
  ...rest
}: SubscriptionRecord): Subscription => ({
  ...rest,
  enabled: rest.disabledReason === null,
  headerNames: Object.keys(headers).sort(),
  previousSecretExpiresAt: previousSecret?.expiresAt ?? null,
})

const toSubscriptionWithSecret = (record: SubscriptionRecord): SubscriptionWithSecret => ({
  ...toSubscription(record),
  secret: record.secret,
})

const isSameOrigin = (url: string, other: string): boolean => new URL(url).origin === new URL(other).origin

const day = 86_400_000

type SubscriptionsContext = ServerContext & { readonly allowLoopbackHttp: boolean }

export const createSubscriptions = (context: SubscriptionsContext): Subscriptions => {
  const { store, clock, ids, log, allowLoopbackHttp } = context
  const edit = async (
    organizationId: string,
    subscriptionId: string,
    change: (current: SubscriptionRecord, now: number) => Partial<SubscriptionRecord>,
  ): Promise<SubscriptionRecord> => {
    checkIdentifiers({ organizationId, subscriptionId })
    for (;;) {
      const current = await store.findSubscription(organizationId, subscriptionId)
      if (current === undefined) throw new RecordNotFoundError('subscription', subscriptionId)
      const now = clock.now()
      const next = { ...current, ...change(current, now), revision: current.revision + 1, updatedAt: now }
      if ((await store.saveSubscription(next)) !== 'saved') continue
      if (next.secret !== current.secret) log.count({ organizationId, subscriptionId, name: 'rotated' })
      const isDisabled = next.disabledReason !== null && current.disabledReason === null
      if (isDisabled) log.count({ organizationId, subscriptionId, name: 'disabled' })
      return next
    }
  }

  return {
    create: async (organizationId, unchecked) => {
      const organization = await getOrganization(store, organizationId)
      const input = parseInput(SubscriptionInput, unchecked)
      const { channel, number = '', url, events = 'all', secret = generateSecret(), enabled = true } = input
      const { maxAttemptsPerSecond = null } = input
      assertNoIssues([
        ...checkNumber(organization, input),
        ...checkUrl(url, allowLoopbackHttp),
        ...checkAuthorization(input),
      ])
      const now = clock.now()
      const record: SubscriptionRecord = {
        id: ids('sub'),
        organizationId,
        revision: 1,
        channel,
        number,
        digits: toDigits(number) ?? '',
        url: new URL(url).href,
        events,
        secret,
        previousSecret: null,
        headers: changeHeaders({}, input),
        maxAttemptsPerSecond,
        disabledReason: enabled ? null : 'by_hand',
        failingSince: null,
        isReported: false,
        createdAt: now,
        updatedAt: now,
      }
      await store.saveSubscription(record)
      return toSubscriptionWithSecret(record)
    },
    list: async (organizationId, page = {}) => {
      checkIdentifiers({ organizationId })
      checkNumbers(page)
      const { items, ...rest } = await store.listSubscriptions(organizationId, { limit: 100, ...page })
      return { ...rest, items: items.map(toSubscription) }
    },
    find: async (organizationId, subscriptionId) => {
      checkIdentifiers({ organizationId, subscriptionId })
      const found = await store.findSubscription(organizationId, subscriptionId)
      return found && toSubscription(found)
    },
    update: async (organizationId, subscriptionId, change) => {
      const { url, events, enabled, maxAttemptsPerSecond, ...headersChange } = parseInput(
        SubscriptionChange,
        change,
      )
      assertNoIssues([
        ...(url === undefined ? [] : checkUrl(url, allowLoopbackHttp)),
        ...checkAuthorization(headersChange),
      ])
      const next = await edit(organizationId, subscriptionId, ({ url: oldUrl, headers, disabledReason }) => ({
        headers: changeHeaders(isSameOrigin(url ?? oldUrl, oldUrl) ? headers : {}, headersChange),
        ...(url !== undefined && { url: new URL(url).href }),
        ...(events !== undefined && { events }),
        ...(maxAttemptsPerSecond !== undefined && { maxAttemptsPerSecond }),
        ...(enabled !== undefined && { disabledReason: enabled ? null : (disabledReason ?? 'by_hand') }),
      }))
      return toSubscription(next)
    },
    rotateSecret: async (organizationId, subscriptionId, rotation = {}) => {
      const { secret = generateSecret(), overlapMs = day } = parseInput(SecretRotation, rotation)
      const next = await edit(organizationId, subscriptionId, (current, now) => ({
        secret,
        previousSecret:
          overlapMs > 0 ? { secret: current.secret, expiresAt: now + overlapMs, rotatedAt: now } : null,
      }))
      return toSubscriptionWithSecret(next)
    },
    remove: async (organizationId, subscriptionId) => {
      checkIdentifiers({ organizationId, subscriptionId })
      if (await store.removeSubscription(organizationId, subscriptionId)) return
      throw new RecordNotFoundError('subscription', subscriptionId)
    },
  }
}
