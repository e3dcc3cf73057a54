import { signal } from '@preact/signals'
import type { Page, Subscription } from '@wabakit/server/control-types'
import type { LiveMessage } from './live.ts'
import { sendOwn } from './organization.ts'
import { createReload } from './reload.ts'

/** The organization's subscriptions. Other records contain only their ids. */
export const subscriptions = signal<readonly Subscription[]>([])

const loadSubscriptions = async (): Promise<void> => {
  const { items } = await sendOwn<Page<Subscription>>(['subscriptions'], { query: { limit: 1000 } })
  subscriptions.value = items
}

/** Returns whether a message is about an attempt that changes the state of its subscription. */
const isNews = (message: LiveMessage): boolean => {
  if (message.type !== 'attempt') return false
  const { subscriptionId, outcome } = message.attempt
  const known = findSubscription(subscriptionId)
  if (known === undefined || outcome === 'gone') return true
  const hasFailed = outcome === 'retry' || outcome === 'exhausted'
  return hasFailed ? known.failingSince === null : outcome === 'delivered' && known.failingSince !== null
}

/** Keeps the subscriptions up to date. Returns a function that stops the updates. */
export const followSubscriptions = (): (() => void) => {
  const reload = createReload({ load: () => loadSubscriptions().catch(() => {}), isAbout: isNews })
  reload.now()
  return reload.stop
}

export const findSubscription = (id: string): Subscription | undefined =>
  subscriptions.value.find((subscription) => subscription.id === id)

export const shortenUrl = (url: string): string => url.replace(/^https?:\/\//, '')

/** Returns the URL of a subscription without its protocol or, while it is not loaded, the subscription's id. */
export const nameEndpoint = (id: string): string => {
  const url = findSubscription(id)?.url
  return url === undefined ? id : shortenUrl(url)
}
