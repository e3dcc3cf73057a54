import { effect } from '@preact/signals'
import { type ComponentType, render } from 'preact'
import { openSearch } from '../actions/search.tsx'
import { openSimulation } from '../actions/simulate.tsx'
import { followClock } from '../api/clock.ts'
import { connection, startLive } from '../api/live.ts'
import { loadOrganizations, organizationId, organizations } from '../api/organization.ts'
import { startPolling } from '../api/reload.ts'
import { info, loadInfo, offered } from '../api/send.ts'
import { subscriptions as endpoints, followSubscriptions, isTroubled } from '../api/subscriptions.ts'
import { IconButton } from '../components/button.tsx'
import { OpenedDialog } from '../components/dialog.tsx'
import { ListView } from '../list/list-view.tsx'
import { isDrawn, maxWaitMs } from '../state/first-view.ts'
import { bindKeys, startKeyboard } from '../state/keyboard.ts'
import { dismiss, notices } from '../state/notices.ts'
import { getParam, isTrace, titles, type View, view } from '../state/route.ts'
import { isTokenRequired, token } from '../state/session.ts'
import { apiKeys } from '../views/api-keys.tsx'
import { calls } from '../views/calls.tsx'
import { CustomerView } from '../views/customer.tsx'
import { deliveries } from '../views/deliveries.tsx'
import { events } from '../views/events.tsx'
import { groups } from '../views/groups.tsx'
import { MockView } from '../views/mock.tsx'
import { OverviewView } from '../views/overview.tsx'
import { requests } from '../views/requests.tsx'
import { subscriptions } from '../views/subscriptions.tsx'
import { openHelp } from './help.tsx'
import { Login } from './login.tsx'
import { NoOrganization } from './no-organization.tsx'
import { Sidebar } from './sidebar.tsx'

const Toasts = () => (
  <div class="toasts" role="status">
    {notices.value.map(({ id, text, tone }) => (
      <div key={id} class={`toast ${tone}`}>
        <span>{text}</span>
        <IconButton icon="close" label="Dismiss" onClick={() => dismiss(id)} />
      </div>
    ))}
  </div>
)

const screens: Readonly<Record<View, ComponentType>> = {
  overview: OverviewView,
  customers: CustomerView,
  mock: MockView,
  deliveries: () => <ListView definition={deliveries} />,
  events: () => <ListView definition={events} />,
  calls: () => <ListView definition={calls} />,
  groups: () => <ListView definition={groups} />,
  subscriptions: () => <ListView definition={subscriptions} />,
  requests: () => <ListView definition={requests} />,
  'api-keys': () => <ListView definition={apiKeys} />,
}

const retryMs = 1_000

/** Loads the data that all views need. Retries until the server responds. */
const start = async (): Promise<void> => {
  try {
    await Promise.all([loadOrganizations(), loadInfo()])
  } catch {
    if (isTokenRequired.value) return
    connection.value = 'broken'
    setTimeout(start, retryMs)
  }
}

/** Starts the live stream and the keyboard shortcuts, and keeps the data that all views need up to date. */
const follow = (): void => {
  // Must come before everything that loads records, because that waits for the stream to connect.
  if (!isTrace) startLive()
  effect(() => {
    // Reading the token makes this effect run again after a login.
    if (token.value !== undefined && !isTokenRequired.value) void start()
  })
  effect(() => {
    if (organizationId.value !== undefined && !isTokenRequired.value) return followSubscriptions()
  })
  effect(() => {
    if (organizationId.value !== undefined && info.value?.can.includes('mock')) return followClock()
  })
  effect(() => {
    const parts = [getParam('id'), titles[view.value], organizationId.value, 'wabakit']
    const troubled = endpoints.value.filter(isTroubled).length
    document.title = `${troubled > 0 ? `(${troubled}) ` : ''}${parts.filter(Boolean).join(' · ')}`
  })
  startKeyboard()
  bindKeys({ '?': openHelp, find: openSearch, ...(isTrace ? {} : { n: openSimulation }) }, (open) => open())
  startPolling()
}

const App = () => {
  const Screen =
    screens[
      info.value === undefined || view.value !== 'mock' || offered.value.includes('mock')
        ? view.value
        : 'overview'
    ]
  return (
    <>
      {isTokenRequired.value ? (
        <Login />
      ) : (
        <div class="app" hidden={view.value === 'overview' && !isDrawn.value}>
          <button type="button" class="skip button" onClick={() => document.querySelector('main')?.focus()}>
            Skip to the content
          </button>
          <Sidebar />
          <main tabIndex={-1}>
            {organizationId.value !== undefined && <Screen />}
            {organizations.value !== undefined && organizationId.value === undefined && <NoOrganization />}
          </main>
          <Toasts />
        </div>
      )}
      <OpenedDialog />
    </>
  )
}

/** Renders the page, whose first requests are under way meanwhile. */
export const openApp = (): void => {
  follow()
  // Must come first, so that an error of the rendering cannot leave the page hidden.
  setTimeout(() => (isDrawn.value = true), maxWaitMs)
  render(<App />, document.body)
}
