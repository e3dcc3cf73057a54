import { computed, signal } from '@preact/signals'

export const titles = {
  overview: 'Overview',
  deliveries: 'Deliveries',
  events: 'Events',
  calls: 'Calls',
  groups: 'Groups',
  subscriptions: 'Subscriptions',
  requests: 'API requests',
  'api-keys': 'API keys',
  customers: 'Customers',
  mock: 'Test',
} as const

export type View = keyof typeof titles

/** Set in the viewer of a trace, which is a file, and shows what happened in a test without changing anything. */
export const isTrace = !location.pathname.includes('/_wabakit/')

/** The path of the control API. A proxy may have added a prefix. */
export const controlPath = /^.*?\/_wabakit\//.exec(location.pathname)?.[0] ?? '/_wabakit/'

/** The URL of the public API, without a trailing slash. */
export const apiUrl = location.origin + controlPath.replace(/\/_wabakit\/$/, '')

/** The start of a view's URL. The viewer of a trace is a file with one path, so its views are fragments. */
const base = isTrace ? '#' : `${controlPath}inspector/`

/** The view that opens first. A trace has no overview, because its figures are about real time. */
const home: View = isTrace ? 'mock' : 'overview'

const isView = (text: string): text is View => Object.hasOwn(titles, text)

/** The views that a sidebar can have. A customer is found by a search, because there is no list of them. */
export const views: readonly View[] = Object.keys(titles)
  .filter(isView)
  .filter((name) => name !== 'customers' && (name !== 'overview' || !isTrace))

const read = () => {
  const { hash, pathname, search } = location
  const [name = '', query = ''] = isTrace ? hash.slice(1).split('?') : [pathname.slice(base.length), search]
  return { view: isView(name) ? name : home, params: new URLSearchParams(query) } as const
}

/** The view, and the parameters of the page's URL: the filters of the view and the open record. */
export const route = signal<{ readonly view: View; readonly params: URLSearchParams }>(read())

addEventListener('popstate', () => {
  route.value = read()
})

/** The first row in view of a list, the hidden part of it in pixels, and the number of rows down to the end of the view. */
export type Place = { readonly id: string; readonly offset: number; readonly count: number }

/** The place in the list in view, which the browser's history keeps for the way back. */
let place: Place | undefined

export const setPlace = (now: Place | undefined): void => {
  place = now
}

/** Returns the place at which the user left the list to which the browser has returned, if it has. */
export const getLeftPlace = (): Place | undefined => history.state ?? undefined

const leave = (): void => history.replaceState(place ?? null, '')

addEventListener('pagehide', leave)

const enter = (href: string): void => {
  leave()
  history.pushState(null, '', href)
}

export const view = computed(() => route.value.view)

/** Returns a parameter of the page's URL, or an empty string. */
export const getParam = (name: string): string => route.value.params.get(name) ?? ''

export type Params = Readonly<Record<string, string | undefined>>

/**
 * The filters of deliveries that have failed and have been neither delivered nor skipped since. Omits deliveries that were
 * never attempted.
 */
export const failing = { status: 'pending,attempting,exhausted', response: 'none,1xx,3xx,4xx,5xx' } as const

/** The statuses of deliveries that are not finished. */
export const unfinished = 'pending,waiting,attempting'

export type Query = Readonly<Record<string, string | number | undefined>>

/** Formats a query with its question mark and without empty parameters. Returns an empty string if none remain. */
export const toSearch = (query: Query): string => {
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined && value !== '') search.set(name, String(value))
  }
  return search.size > 0 ? `?${search}` : ''
}

/** Returns the URL of a view of the current organization. */
const toHref = (to: View, params: Params = {}): string =>
  base + to + toSearch({ organization: getParam('organization'), ...params })

export const navigate = (to: View, params: Params = {}): void => {
  enter(toHref(to, params))
  route.value = read()
}

/** Returns the attributes of a link to a view. The user can open it in a new tab, like any link. */
export const toLink = (to: View, params?: Params) => ({
  href: toHref(to, params),
  onClick: (click: MouseEvent): void => {
    if (click.metaKey || click.ctrlKey) return
    click.preventDefault()
    click.stopPropagation()
    navigate(to, params)
  },
})

/** Returns the URL of the current view with other parameters. */
export const withParams = (changes: Params): string =>
  toHref(view.value, { ...Object.fromEntries(route.value.params), ...changes })

/** Sets parameters of the current view, and removes empty ones. `isStep` adds an entry to the browser's history. */
export const setParams = (changes: Params, { isStep = false } = {}): void => {
  const href = withParams(changes)
  if (isStep) enter(href)
  else history.replaceState(null, '', href)
  route.value = read()
}
