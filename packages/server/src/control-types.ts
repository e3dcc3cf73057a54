// The types of the control API's records. This module imports no code.

export type { LiveAttempt } from './control/live-attempt.ts'
export type { ServerInfo } from './control/schemas.ts'
export type { CallView as Call } from './control/views/call.ts'
export type {
  AttemptView as Attempt,
  DeliveryView as Delivery,
  SentRequestView as SentRequest,
} from './control/views/delivery.ts'
export type { EventView as Event } from './control/views/event.ts'
export type { GroupView as Group } from './control/views/group.ts'
export type { OrganizationView as Organization } from './control/views/organization.ts'
export type { ApiRequestView as ApiRequest } from './control/views/request.ts'
export type {
  SubscriptionSecretView as SubscriptionWithSecret,
  SubscriptionView as Subscription,
} from './control/views/subscription.ts'
export type {
  SummaryStatusView as SummaryStatus,
  TimelineEntry,
  TimelineView as Timeline,
} from './control/views/timeline.ts'
export type { WaitView as Wait } from './control/views/wait.ts'

/** A page of a list. `nextCursor` is the cursor of the next page. */
export type Page<Item> = { readonly items: readonly Item[]; readonly nextCursor?: string }
