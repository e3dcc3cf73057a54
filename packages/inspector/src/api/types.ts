import type { showLiveAttempt } from '../../../server/src/control/live-attempt.ts'
import type { showCall } from '../../../server/src/control/views/call.ts'
import type { showAttempt, showDelivery } from '../../../server/src/control/views/delivery.ts'
import type { showEvent } from '../../../server/src/control/views/event.ts'
import type { showGroup } from '../../../server/src/control/views/group.ts'
import type { showOrganization } from '../../../server/src/control/views/organization.ts'
import type {
  showSubscription,
  showSubscriptionSecret,
} from '../../../server/src/control/views/subscription.ts'

// What the control API responds, by the functions that build it. Only the types are imported.

export type Page<Item> = { readonly items: readonly Item[]; readonly nextCursor?: string }
export type Organization = ReturnType<typeof showOrganization>
export type Event = ReturnType<typeof showEvent>
export type Delivery = ReturnType<typeof showDelivery>
export type Attempt = ReturnType<typeof showAttempt>
export type Call = ReturnType<typeof showCall>
export type Group = ReturnType<typeof showGroup>
export type Subscription = ReturnType<typeof showSubscription>
export type SubscriptionWithSecret = ReturnType<typeof showSubscriptionSecret>
export type LiveAttempt = ReturnType<typeof showLiveAttempt>

/** A request to the public API, without its key and its body. */
export type ApiRequest = {
  readonly requestId: string
  readonly at: string
  readonly method: string
  readonly path: string
  readonly query: Readonly<Record<string, string>>
  readonly status: number
  readonly code: string | null
  readonly durationMs: number
  readonly organizationId: string | null
  readonly keyId: string | null
  readonly keyLabel: string | null
  readonly endpoint: string | null
  readonly groupId: string | null
  readonly callId: string | null
  readonly repeated: boolean
}
