import { generateSecret } from '@wabakit/webhooks'
import { RecordNotFoundError } from '../errors/record-not-found-error.ts'
import type { SubscriptionRecord } from '../records.ts'
import type { Page, PageRequest, Store } from '../store.ts'
import type { Directory } from '../tenancy/directory.ts'
import type { Clock } from '../values/clock.ts'
import { checkIdentifiers } from '../values/identifier.ts'
import type { Ids } from '../values/ids.ts'
import { toDigits } from '../values/phone-number.ts'
import {
  checkEvents,
  checkNumber,
  checkSecret,
  checkUrl,
  refuse,
  type SubscribedEvents,
  type SubscriptionInput,
} from './subscription-input.ts'

/** A subscription as it may be shown: without its secrets. */
export type Subscription = Omit<SubscriptionRecord, 'secret' | 'previousSecret' | 'digits'> & {
  readonly enabled: boolean
  /** Until when the secret before the last rotation signs, too; `null` when there is none. */
  readonly previousSecretExpiresAt: number | null
}

/** A subscription whose secret was just set: the only time it can be read. */
export type SubscriptionWithSecret = Subscription & { readonly secret: string }

/** What of a subscription can be changed; what is omitted stays as it is. */
export type SubscriptionChange = {
  readonly url?: string | undefined
  readonly events?: SubscribedEvents | undefined
  /** False: what is on its way and what it would get is kept as `skipped`, and can be sent again by range. */
  readonly enabled?: boolean | undefined
}

/** How a secret is rotated. */
export type SecretRotation = {
  /** @default a random one */
  readonly secret?: string | undefined
  /**
   * How long the old secret signs beside the new one, in milliseconds.
   * @default 86,400,000 (24 hours)
   */
  readonly overlapMs?: number | undefined
}

/**
 * The webhook subscriptions of a server. Each operation but `create` and `list` throws `RecordNotFoundError` when
 * the organization has no such subscription.
 */
export type Subscriptions = {
  /**
   * Subscribes an URL to the events of one number.
   *
   * @throws InputError when a field cannot be right, or the number is not the organization's.
   * @throws RecordNotFoundError when there is no such organization.
   */
  create(organizationId: string, input: SubscriptionInput): Promise<SubscriptionWithSecret>
  /** The subscriptions of an organization, oldest first. */
  list(organizationId: string, page?: Partial<PageRequest>): Promise<Page<Subscription>>
  /** A subscription by its id; `undefined` when there is none. */
  find(organizationId: string, subscriptionId: string): Promise<Subscription | undefined>
  /** @throws InputError when a field cannot be right. */
  update(organizationId: string, subscriptionId: string, change: SubscriptionChange): Promise<Subscription>
  /** Sets a new secret; until the overlap ends deliveries carry a signature by each. */
  rotateSecret(
    organizationId: string,
    subscriptionId: string,
    rotation?: SecretRotation,
  ): Promise<SubscriptionWithSecret>
  /** Removes a subscription with its deliveries. To keep them, disable it. */
  remove(organizationId: string, subscriptionId: string): Promise<void>
}

/** What {@link createSubscriptions} works with. */
export type SubscriptionsContext = {
  readonly store: Store
  readonly clock: Clock
  readonly ids: Ids
  readonly directory: Directory
  readonly allowLoopbackHttp: boolean
}

const show = ({ secret: _, previousSecret, digits: __, ...shown }: SubscriptionRecord): Subscription => ({
  ...shown,
  enabled: shown.disabledReason === null,
  previousSecretExpiresAt: previousSecret?.expiresAt ?? null,
})

const showWithSecret = (record: SubscriptionRecord): SubscriptionWithSecret => ({
  ...show(record),
  secret: record.secret,
})

const day = 86_400_000

/** Makes the operations on subscriptions. */
export const createSubscriptions = (context: SubscriptionsContext): Subscriptions => {
  const { store, clock, ids, directory, allowLoopbackHttp } = context

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
      if ((await store.saveSubscription(next)) === 'saved') return next
    }
  }

  return {
    create: async (organizationId, input) => {
      const organization = await directory.getOrganization(organizationId)
      const { channel, number, url, events = 'all', secret = generateSecret(), enabled = true } = input
      refuse([
        ...checkNumber(organization, input),
        ...checkUrl(url, allowLoopbackHttp),
        ...checkEvents(events),
        ...(await checkSecret(secret)),
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
        disabledReason: enabled ? null : 'by_hand',
        failingSince: null,
        createdAt: now,
        updatedAt: now,
      }
      await store.saveSubscription(record)
      return showWithSecret(record)
    },
    list: async (organizationId, page = {}) => {
      checkIdentifiers({ organizationId })
      const { items, ...rest } = await store.listSubscriptions(organizationId, { limit: 100, ...page })
      return { ...rest, items: items.map(show) }
    },
    find: async (organizationId, subscriptionId) => {
      checkIdentifiers({ organizationId, subscriptionId })
      const found = await store.findSubscription(organizationId, subscriptionId)
      return found && show(found)
    },
    update: async (organizationId, subscriptionId, { url, events, enabled }) => {
      refuse([
        ...(url === undefined ? [] : checkUrl(url, allowLoopbackHttp)),
        ...(events === undefined ? [] : checkEvents(events)),
      ])
      const next = await edit(organizationId, subscriptionId, ({ disabledReason }) => ({
        ...(url !== undefined && { url: new URL(url).href }),
        ...(events !== undefined && { events }),
        ...(enabled !== undefined && { disabledReason: enabled ? null : (disabledReason ?? 'by_hand') }),
      }))
      return show(next)
    },
    rotateSecret: async (organizationId, subscriptionId, rotation = {}) => {
      const { secret = generateSecret(), overlapMs = day } = rotation
      refuse(await checkSecret(secret))
      const next = await edit(organizationId, subscriptionId, (current, now) => ({
        secret,
        previousSecret: overlapMs > 0 ? { secret: current.secret, expiresAt: now + overlapMs } : null,
      }))
      return showWithSecret(next)
    },
    remove: async (organizationId, subscriptionId) => {
      checkIdentifiers({ organizationId, subscriptionId })
      if (await store.removeSubscription(organizationId, subscriptionId)) return
      throw new RecordNotFoundError('subscription', subscriptionId)
    },
  }
}
