import type { Event, Overview, Page, SubscriptionOverview } from '@wabakit/server/control-types'
import { useLayoutEffect } from 'preact/hooks'
import { addSubscription } from '../actions/subscription-form.tsx'
import { organization, organizationId, sendOwn } from '../api/organization.ts'
import { info } from '../api/send.ts'
import { changesState } from '../api/subscriptions.ts'
import { Button } from '../components/button.tsx'
import { LoadProblem } from '../components/status.tsx'
import { useRecord } from '../components/use-record.ts'
import { compareEndpoints, EndpointTable } from '../figures/endpoint-table.tsx'
import { Charts, Tiles } from '../figures/figures-view.tsx'
import { FirstVisit } from '../figures/first-visit.tsx'
import { Verdict } from '../figures/verdict.tsx'
import { getWindow, WindowChoice } from '../figures/window.tsx'
import { isDrawn } from '../state/first-view.ts'
import { isTrace, toSearch } from '../state/route.ts'

/** The server writes the figures this often, in milliseconds. */
const pollMs = 10_000

/** Maximum number of endpoints in the table, failing ones first. The list of subscriptions has all. */
const maxEndpoints = 25

/** The first view: the state of the organization's endpoints, and figures of the chosen period. */
export const OverviewView = () => {
  const query = getWindow()
  const keys = [organizationId.value, toSearch(query)]
  const overview = useRecord(
    { load: () => sendOwn<Overview>(['overview'], { query }), isAbout: changesState, pollMs },
    keys,
  )
  const endpoints = useRecord(
    {
      load: () =>
        sendOwn<Page<SubscriptionOverview>>(['overview', 'subscriptions'], {
          query: { ...query, limit: maxEndpoints },
        }),
      isAbout: changesState,
      pollMs,
    },
    keys,
  )
  // Asks for an event, because the figures do not tell a new organization from a quiet hour.
  const first = useRecord({ load: () => sendOwn<Page<Event>>(['events'], { query: { limit: 1 } }), pollMs }, [
    organizationId.value,
  ])
  const figures = overview.value
  const page = endpoints.value && {
    ...endpoints.value,
    items: endpoints.value.items.toSorted(compareEndpoints),
  }
  const problem = overview.problem || endpoints.problem || first.problem
  // What has not been loaded is not empty. All parts appear at once, because each would move the ones below it.
  const isLoaded =
    [figures, page, first.value, info.value, organization.value].every((part) => part !== undefined) ||
    problem !== ''
  useLayoutEffect(() => {
    if (isLoaded) isDrawn.value = true
  }, [isLoaded])
  const isSubscribed = page === undefined || page.items.length > 0
  const hasEvents = first.value === undefined || first.value.items.length > 0
  const isNew = !isSubscribed || !hasEvents
  return (
    <div class="overview">
      <header class="list-header">
        <h1>Overview</h1>
        {page && page.items.length > 0 && !isTrace && (
          <Button icon="add" onClick={addSubscription}>
            Subscribe an endpoint
          </Button>
        )}
        <WindowChoice />
      </header>
      <div class="body">
        <LoadProblem text={problem} />
        {isLoaded && (
          <>
            {figures && page && <Verdict counts={figures.subscriptions} endpoints={page.items} />}
            {isNew && <FirstVisit isSubscribed={isSubscribed} hasEvents={hasEvents} />}
            {figures && <Tiles figures={figures} filters={{}} />}
            {page && <EndpointTable page={page} />}
            {figures && !isNew && <Charts figures={figures} filters={{}} />}
          </>
        )}
      </div>
    </div>
  )
}
