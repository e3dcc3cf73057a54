import { computed, signal } from '@preact/signals'
import type { LiveAttempt, Page, Subscription } from '@wabakit/server/control-types'
import { eventNames } from '@wabakit/wire'
import { listen } from './live.ts'
import { organization, sendOwn } from './organization.ts'
import { createReload } from './reload.ts'

type Choice = { readonly value: string; readonly label: string }

export const toChoices = (values: readonly string[]): readonly Choice[] =>
  values.map((value) => ({ value, label: value.replaceAll('_', ' ').toLowerCase() }))

export const eventChoices: readonly Choice[] = eventNames.map((value) => ({ value, label: value }))

/** The organization's subscriptions. Other records refer to them by id. */
export const subscriptions = signal<readonly Subscription[]>([])

export const loadSubscriptions = async (): Promise<void> => {
  const { items } = await sendOwn<Page<Subscription>>('/subscriptions', { query: { limit: 1000 } })
  subscriptions.value = items
}

/** Returns whether an attempt's result contradicts the known state of its subscription. */
const isNews = ({ subscriptionId, outcome }: LiveAttempt): boolean => {
  const known = findSubscription(subscriptionId)
  if (known === undefined || outcome === 'gone') return true
  const hasFailed = outcome === 'retry' || outcome === 'exhausted'
  return hasFailed ? known.failingSince === null : outcome === 'delivered' && known.failingSince !== null
}

/** Keeps the subscriptions up to date. */
export const followSubscriptions = (): (() => void) => {
  const reload = createReload(() => loadSubscriptions().catch(() => {}))
  reload.now()
  const ignore = listen((messages) => {
    if (messages.some((message) => message.type === 'attempt' && isNews(message.attempt))) reload.request()
  })
  return () => {
    ignore()
    reload.stop()
  }
}

export const findSubscription = (id: string): Subscription | undefined =>
  subscriptions.value.find((subscription) => subscription.id === id)

/** Returns the host and path of a URL, which distinguish endpoints. */
export const shortenUrl = (url: string): string => url.replace(/^https?:\/\//, '')

export const subscriptionChoices = computed(() =>
  subscriptions.value.map(({ id, url, channel }) => ({
    value: id,
    label: `${shortenUrl(url)} · ${channel}`,
  })),
)

export const numberChoices = computed(() => {
  const { integrations = [], pstnNumbers = [] } = organization.value ?? {}
  return [...integrations.map(({ wabaNumber }) => wabaNumber), ...pstnNumbers].map((value) => ({
    value,
    label: value,
  }))
})
