import { computed, signal } from '@preact/signals'

export const views = ['deliveries', 'events', 'calls', 'groups', 'subscriptions', 'requests'] as const
export type View = (typeof views)[number]

export const titles: Readonly<Record<View, string>> = {
  deliveries: 'Deliveries',
  events: 'Events',
  calls: 'Calls',
  groups: 'Groups',
  subscriptions: 'Subscriptions',
  requests: 'API requests',
}

const base = '/_wabakit/inspector/'

const isView = (text: string): text is View => views.some((view) => view === text)

const read = () => {
  const name = location.pathname.slice(base.length)
  return { view: isView(name) ? name : 'deliveries', params: new URLSearchParams(location.search) } as const
}

/** The page's URL: a view, its filters and the selected record. */
export const route = signal<{ readonly view: View; readonly params: URLSearchParams }>(read())

addEventListener('popstate', () => {
  route.value = read()
})

export const view = computed(() => route.value.view)

/** Returns a parameter of the URL, or an empty string. */
export const getParam = (name: string): string => route.value.params.get(name) ?? ''

export type Params = Readonly<Record<string, string | undefined>>

export type Query = Readonly<Record<string, string | number | undefined>>

/** Formats a query without its empty parameters. Returns an empty string if no others remain. */
export const toSearch = (query: Query): string => {
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined && value !== '') search.set(name, String(value))
  }
  return search.size > 0 ? `?${search}` : ''
}

/** Returns the URL of a view. The organization stays the same. */
export const toHref = (to: View, params: Params = {}): string =>
  base + to + toSearch({ organization: getParam('organization'), ...params })

export const navigate = (to: View, params: Params = {}): void => {
  history.pushState(null, '', toHref(to, params))
  route.value = read()
}

/**
 * Changes parameters of the current view and removes empty ones. Typing and selecting do not add entries to the
 * browser's history.
 */
export const setParams = (changes: Params, { isStep = false } = {}): void => {
  const href = toHref(view.value, { ...Object.fromEntries(route.value.params), ...changes })
  if (isStep) history.pushState(null, '', href)
  else history.replaceState(null, '', href)
  route.value = read()
}
