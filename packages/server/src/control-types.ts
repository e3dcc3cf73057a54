// The types of the control API's records. This module imports no code.

import type * as control from '@wabakit/core/control'
import type * as z from 'zod/mini'

export type {
  ClockView as MockClock,
  LiveAttempt,
  PendingWaitView as PendingWait,
  ServerInfo,
  TestLogEntryView as TestLogEntry,
  TimelineEntry,
} from '@wabakit/core/control'

/** A page of a list. `nextCursor` is the cursor of the next page. */
export type Page<Item> = { readonly items: readonly Item[]; readonly nextCursor?: string }
/** An organization, its settings and its numbers. */
export type Organization = z.input<typeof control.OrganizationView>
/** An API key, without the key itself. */
export type ApiKey = z.input<typeof control.ApiKeyView>
/** An API key that has just been created, with the key. */
export type NewApiKey = z.input<typeof control.NewApiKeyView>
/** The events and attempts of an organization over time. */
export type Overview = z.input<typeof control.OverviewView>
/** The attempts of a subscription over time. */
export type SubscriptionOverview = z.input<typeof control.SubscriptionOverviewView>
/** A record that a search found. */
export type SearchHit = z.input<typeof control.SearchHitView>
/** The newest calls, the memberships and the newest deliveries of a customer. The summaries of calls are typed as in `Call`. */
export type Customer = Omit<z.input<typeof control.CustomerView>, 'calls'> & {
  readonly calls: readonly (ListedCall & { readonly endpoints: readonly Arrival[] })[]
}
/** Whether the events of a call or group, or one event, have arrived at one endpoint. */
export type Arrival = control.ArrivalView
/** A person's membership in a group. */
export type Participant = z.input<typeof control.ParticipantView>
/** An event of the service, with an example and a schema. */
export type EventType = z.input<typeof control.EventTypeView>
/** A published event. */
export type Event = z.input<typeof control.EventView>
/** A published event, and whether it has arrived at each endpoint. */
export type EventDetails = z.input<typeof control.EventDetailsView>
/** The delivery of one event to one subscription. */
export type Delivery = z.input<typeof control.DeliveryView>
/** A delivery attempt. */
export type Attempt = z.input<typeof control.AttemptView>
/** The request of an attempt, rebuilt from the event and the attempt. */
export type SentRequest = z.input<typeof control.SentRequestView>
/** A request of the public API. */
export type ApiRequest = z.input<typeof control.ApiRequestView>
/** A request of the public API, with its bodies. */
export type ApiRequestDetails = z.input<typeof control.ApiRequestDetailsView>
/** A call. */
export type Call = control.CallView
/** A call, and whether its summary has arrived. */
export type ListedCall = z.input<typeof control.ListedCallView> & Call
/** A group. */
export type Group = z.input<typeof control.GroupView>
/** A group, and the number of its members. */
export type ListedGroup = z.input<typeof control.ListedGroupView>
/** A subscription without its secrets, and its state. */
export type ListedSubscription = z.input<typeof control.ListedSubscriptionView>
/** A subscription without its secrets. */
export type Subscription = z.input<typeof control.SubscriptionView>
/** A subscription whose secret has just been set. */
export type SubscriptionWithSecret = z.input<typeof control.SubscriptionSecretView>
/** Why a delivery is unfinished, or was skipped. */
export type Wait = control.WaitView
/** The state of a call's summary: that it has arrived, or why it has not. */
export type SummaryStatus = control.SummaryStatusView
/** What happened to one call or group: the newest records about it. */
export type Timeline = control.TimelineView
