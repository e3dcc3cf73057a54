import { computed, signal } from '@preact/signals'
import type { ListedSubscription, Page } from '@wabakit/server/control-types'
import type { LiveMessage } from './live.ts'
import { sendOwn } from './organization.ts'
import { createReload } from './reload.ts'

/** Interval in milliseconds at which states are read again: an endpoint falls behind without a message. */
const pollMs = 10_000

const loaded = signal<readonly ListedSubscription[] | undefined>(undefined)

/** The organization's first 1,000 subscriptions, none until they are loaded. Other records contain only their ids. */
export const subscriptions = computed(() => loaded.value ?? [])

/** Set once the subscriptions are loaded or could not be: until then, records would show ids, and move when names replace them. */
export const areSubscriptionsKnown = computed(() => loaded.value !== undefined)

/** Returns whether an endpoint needs attention. */
export const isTroubled = ({ state }: Pick<ListedSubscription, 'state'>): boolean =>
  state === 'failing' || state === 'behind'

/** Returns whether the server has disabled a subscription, because its endpoint responded with 410 or failed for days. */
export const isGivenUp = ({ disabledReason }: Pick<ListedSubscription, 'disabledReason'>): boolean =>
  disabledReason !== null && disabledReason !== 'by_hand'

const loadSubscriptions = async (signal: AbortSignal): Promise<void> => {
  try {
    const options = { query: { limit: 1000 }, signal }
    loaded.value = (await sendOwn<Page<ListedSubscription>>(['subscriptions'], options)).items
  } catch {
    if (!signal.aborted) loaded.value ??= []
  }
}

/**
 * Returns whether a message is about an attempt whose subscription is new, or may no longer be untried, working or failing. Polling
 * shows which subscriptions are behind.
 */
export const changesState = (message: LiveMessage): boolean => {
  if (message.type !== 'attempt') return false
  const { subscriptionId, outcome } = message.attempt
  const known = findSubscription(subscriptionId)
  if (known === undefined || known.state === 'untried' || outcome === 'gone') return true
  const hasFailed = outcome === 'retry' || outcome === 'exhausted'
  return hasFailed ? known.failingSince === null : outcome === 'delivered' && known.failingSince !== null
}

/** Keeps the subscriptions up to date. Returns a function that stops the updates. */
export const followSubscriptions = (): (() => void) => {
  // Stops a late response from showing the subscriptions of the organization that the user has left.
  const controller = new AbortController()
  const load = () => loadSubscriptions(controller.signal)
  const reload = createReload({ load, isAbout: changesState })
  reload.now()
  const polling = setInterval(reload.request, pollMs)
  return () => {
    clearInterval(polling)
    controller.abort()
    loaded.value = undefined
    reload.stop()
  }
}

export const findSubscription = (id: string): ListedSubscription | undefined =>
  subscriptions.value.find((subscription) => subscription.id === id)

export const shortenUrl = (url: string): string => url.replace(/^https?:\/\//, '')

/** Returns the URL of a subscription without its protocol or, if it is not loaded, the subscription's id. */
export const nameEndpoint = (id: string): string => {
  const url = findSubscription(id)?.url
  return url === undefined ? id : shortenUrl(url)
}
