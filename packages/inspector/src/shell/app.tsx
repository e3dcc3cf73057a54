import { useSignalEffect } from '@preact/signals'
import type { ComponentType } from 'preact'
import { useEffect } from 'preact/hooks'
import { EditDialog } from '../actions/edit-and-send.tsx'
import { LimitDialog } from '../actions/limit-attempts.tsx'
import { RotationDialog } from '../actions/rotate-secret.tsx'
import { SimulationDialog } from '../actions/simulate.tsx'
import { followSubscriptions } from '../api/choices.ts'
import { connection, startLive } from '../api/live.ts'
import { loadOrganizations, organizationId, organizations } from '../api/organization.ts'
import { loadInfo } from '../api/send.ts'
import { CallDetail } from '../detail/call-detail.tsx'
import { DeliveryDetail } from '../detail/delivery-detail.tsx'
import { EventDetail } from '../detail/event-detail.tsx'
import { GroupDetail } from '../detail/group-detail.tsx'
import { RequestDetail } from '../detail/request-detail.tsx'
import { SubscriptionDetail } from '../detail/subscription-detail.tsx'
import { ListView } from '../list/list-view.tsx'
import { IconButton } from '../parts/button.tsx'
import { isHelpOpen, isSimulationOpen, startKeyboard } from '../state/keyboard.ts'
import { dismiss, notices } from '../state/notices.ts'
import { getParam, titles, type View, view } from '../state/route.ts'
import { isTokenRequired, token } from '../state/session.ts'
import { calls } from '../views/calls.tsx'
import { deliveries } from '../views/deliveries.tsx'
import { events } from '../views/events.tsx'
import { groups } from '../views/groups.tsx'
import { requests } from '../views/requests.tsx'
import { subscriptions } from '../views/subscriptions.tsx'
import { Help } from './help.tsx'
import { Login } from './login.tsx'
import { NoOrganization } from './no-organization.tsx'
import { Sidebar } from './sidebar.tsx'

export const Toasts = () => (
  <div class="toasts" role="status">
    {notices.value.map(({ id, text, isProblem }) => (
      <div key={id} class={`toast ${isProblem ? 'bad' : ''}`}>
        <span>{text}</span>
        <IconButton icon="close" label="Dismiss" onClick={() => dismiss(id)} />
      </div>
    ))}
  </div>
)

const screens: Readonly<Record<View, ComponentType>> = {
  deliveries: () => <ListView definition={deliveries} Detail={DeliveryDetail} />,
  events: () => <ListView definition={events} Detail={EventDetail} />,
  calls: () => <ListView definition={calls} Detail={CallDetail} />,
  groups: () => <ListView definition={groups} Detail={GroupDetail} />,
  subscriptions: () => <ListView definition={subscriptions} Detail={SubscriptionDetail} />,
  requests: () => <ListView definition={requests} Detail={RequestDetail} />,
}

const retryMs = 1_000

/** Loads the page's initial data. Retries until the server responds. */
const start = async (): Promise<void> => {
  try {
    await Promise.all([loadOrganizations(), loadInfo()])
  } catch {
    if (isTokenRequired.value) return
    connection.value = 'broken'
    setTimeout(start, retryMs)
  }
}

/** Keeps the data shared by all views up to date. */
const useOrganization = (): void => {
  useSignalEffect(() => {
    // Retries with a new token.
    if (token.value !== undefined && !isTokenRequired.value) void start()
  })
  useSignalEffect(() => {
    if (organizationId.value !== undefined && !isTokenRequired.value) return followSubscriptions()
  })
  useSignalEffect(() => {
    const parts = [getParam('id'), titles[view.value], organizationId.value, 'wabakit']
    document.title = parts.filter(Boolean).join(' · ')
  })
  useEffect(startKeyboard, [])
  useEffect(startLive, [])
}

export const App = () => {
  useOrganization()
  if (isTokenRequired.value) return <Login />
  const Screen = screens[view.value]
  return (
    <div class="app">
      <Sidebar />
      <main>
        {organizationId.value !== undefined && <Screen />}
        {organizations.value !== undefined && organizationId.value === undefined && <NoOrganization />}
      </main>
      {isHelpOpen.value && <Help />}
      {isSimulationOpen.value && <SimulationDialog />}
      <EditDialog />
      <RotationDialog />
      <LimitDialog />
      <Toasts />
    </div>
  )
}
