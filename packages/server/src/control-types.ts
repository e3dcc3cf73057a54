// The types of the control API's records. This module imports no code.

import type {
  ApiKeyView,
  ApiRequestDetailsView,
  ApiRequestView,
  ArrivalView,
  AttemptView,
  CallView,
  CustomerView,
  DeliveryView,
  EventTypeView,
  EventView,
  GroupView,
  ListedCallView,
  ListedGroupView,
  ListedSubscriptionView,
  NewApiKeyView,
  OrganizationView,
  OverviewView,
  ParticipantView,
  SearchHitView,
  SentRequestView,
  SubscriptionOverviewView,
  SubscriptionSecretView,
  SubscriptionView,
  SummaryStatusView,
  TimelineEntry,
  TimelineView,
  WaitView,
} from '@wabakit/core/control'
import type * as z from 'zod/mini'

export type {
  ClockView as MockClock,
  LiveAttempt,
  PendingWaitView as PendingWait,
  ServerInfo,
  TestLogEntryView as TestLogEntry,
} from '@wabakit/core/control'

/** A page of a list. `nextCursor` is the cursor of the next page. */
export type Page<Item> = { readonly items: readonly Item[]; readonly nextCursor?: string }
/** An organization, its settings and its numbers. */
export type Organization = z.input<typeof OrganizationView>
/** An API key, without the key itself. */
export type ApiKey = z.input<typeof ApiKeyView>
/** An API key that has just been created, with the key. */
export type NewApiKey = z.input<typeof NewApiKeyView>
/** The events and attempts of an organization over time. */
export type Overview = z.input<typeof OverviewView>
/** The attempts of a subscription over time. */
export type SubscriptionOverview = z.input<typeof SubscriptionOverviewView>
/** A record that a search found. */
export type SearchHit = z.input<typeof SearchHitView>
/** Everything about a customer. The summaries of calls are typed as in `Call`. */
export type Customer = Omit<z.input<typeof CustomerView>, 'calls'> & {
  readonly calls: readonly (Call & { readonly endpoints: readonly Arrival[] })[]
}
/** Whether the events of a call or group have arrived at one endpoint. */
export type Arrival = ArrivalView
/** A person's membership in a group. */
export type Participant = z.input<typeof ParticipantView>
/** An event of the service, with an example and a schema. */
export type EventType = z.input<typeof EventTypeView>
/** A published event. */
export type Event = z.input<typeof EventView>
/** The delivery of one event to one subscription. */
export type Delivery = z.input<typeof DeliveryView>
/** A delivery attempt. */
export type Attempt = z.input<typeof AttemptView>
/** The request of an attempt, rebuilt from the event and the attempt. */
export type SentRequest = z.input<typeof SentRequestView>
/** A request of the public API. */
export type ApiRequest = z.input<typeof ApiRequestView>
/** A request of the public API, with its bodies. */
export type ApiRequestDetails = z.input<typeof ApiRequestDetailsView>
/** A call. */
export type Call = CallView
/** A call, and whether its summary has arrived. */
export type ListedCall = CallView & Pick<z.input<typeof ListedCallView>, 'summaryArrival'>
/** A group. */
export type Group = z.input<typeof GroupView>
/** A group, and the number of its members. */
export type ListedGroup = z.input<typeof ListedGroupView>
/** A subscription without its secrets, and its state. */
export type ListedSubscription = z.input<typeof ListedSubscriptionView>
/** A subscription without its secrets. */
export type Subscription = z.input<typeof SubscriptionView>
/** A subscription whose secret has just been set. */
export type SubscriptionWithSecret = z.input<typeof SubscriptionSecretView>
/** Why a delivery is unfinished, or was skipped. */
export type Wait = WaitView
/** The state of a call's summary: that it has arrived, or why it has not. */
export type SummaryStatus = SummaryStatusView
/** All records about one call or group. */
export type Timeline = TimelineView
export type { TimelineEntry }
