import type { showLiveAttempt } from '../../../server/src/control/live-attempt.ts'
import type { showCall } from '../../../server/src/control/views/call.ts'
import type { showAttempt, showDelivery } from '../../../server/src/control/views/delivery.ts'
import type { showEvent } from '../../../server/src/control/views/event.ts'
import type { showGroup } from '../../../server/src/control/views/group.ts'
import type { showOrganization } from '../../../server/src/control/views/organization.ts'
import type { showRequest } from '../../../server/src/control/views/request.ts'
import type {
  showSubscription,
  showSubscriptionSecret,
} from '../../../server/src/control/views/subscription.ts'

import type { TimelineEntry, TimelineView } from '../../../server/src/control/views/timeline.ts'

// What the control API responds, by the functions that build it. Only the types are imported.

export type Page<Item> = { readonly items: readonly Item[]; readonly nextCursor?: string }
export type Organization = ReturnType<typeof showOrganization>
export type Event = ReturnType<typeof showEvent>
export type Delivery = ReturnType<typeof showDelivery>
export type Attempt = ReturnType<typeof showAttempt>
export type ApiRequest = ReturnType<typeof showRequest>
export type Call = ReturnType<typeof showCall>
export type Group = ReturnType<typeof showGroup>
export type Subscription = ReturnType<typeof showSubscription>
export type SubscriptionWithSecret = ReturnType<typeof showSubscriptionSecret>
export type Timeline = TimelineView
export type Entry = TimelineEntry
export type Mark = Entry['marks'][number]
export type LiveAttempt = ReturnType<typeof showLiveAttempt>

/** The request of an attempt, rebuilt from the event and the attempt. */
export type SentRequest = {
  readonly method: string
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  /** Headers whose values are secret. */
  readonly hiddenHeaders: readonly string[]
  readonly body: string
  /** What has changed since the attempt, so that this is not exactly what was sent. */
  readonly changed: readonly ('secret' | 'subscription' | 'webhook_id')[]
}
