// The types of the control API's records. This module imports no code.

import type * as z from 'zod/mini'
import type { showLiveAttempt } from './control/live-attempt.ts'
import type { CallView } from './control/views/call.ts'
import type { AttemptView, DeliveryView, SentRequestView } from './control/views/delivery.ts'
import type { EventView } from './control/views/event.ts'
import type { GroupView } from './control/views/group.ts'
import type { OrganizationView } from './control/views/organization.ts'
import type { ApiRequestView } from './control/views/request.ts'
import type { SubscriptionSecretView, SubscriptionView } from './control/views/subscription.ts'
import type { SummaryStatusView, TimelineEntry, TimelineView } from './control/views/timeline.ts'
import type { WaitView } from './control/views/wait.ts'

export type { ServerInfo } from './control/schemas.ts'

/** A page of a list. `nextCursor` is the cursor of the next page. */
export type Page<Item> = { readonly items: readonly Item[]; readonly nextCursor?: string }
/** An organization, its settings and its numbers. */
export type Organization = z.input<typeof OrganizationView>
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
/** A call. */
export type Call = CallView
/** A group. */
export type Group = z.input<typeof GroupView>
/** A subscription without its secrets. */
export type Subscription = z.input<typeof SubscriptionView>
/** A subscription whose secret has just been set. */
export type SubscriptionWithSecret = z.input<typeof SubscriptionSecretView>
/** The reason why a delivery is not being attempted. */
export type Wait = WaitView
/** The state of a call's summary: it has arrived, or the reason why it has not. */
export type SummaryStatus = SummaryStatusView
/** All records about one call or group. */
export type Timeline = TimelineView
export type { TimelineEntry }
/** An attempt in a live stream. */
export type LiveAttempt = ReturnType<typeof showLiveAttempt>
