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
export type Delivery = ReturnType<typeof showDelivery> & { readonly wait?: Wait | null }
export type Attempt = ReturnType<typeof showAttempt> & { readonly diagnosis?: Diagnosis | null }
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

/** Why a delivery is not sent at this moment. */
export type Wait = { readonly reason: string; readonly text: string; readonly nextAttemptAt?: string | null }

/** The likely cause of a failed attempt, and what to do. */
export type Diagnosis = { readonly cause: string; readonly text: string; readonly remedy: string }

/** The request of an attempt, rebuilt from the event and the attempt. */
export type SentRequest = {
  readonly method: string
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  /** Headers whose values are secret. */
  readonly hiddenHeaders: readonly string[]
  readonly body: string
  readonly signature: {
    readonly id: string
    readonly timestamp: number | string
    readonly secret: 'current' | 'previous' | 'replaced'
    readonly verifies: boolean
    readonly text: string
  }
  readonly isExact: boolean
  readonly text: string
}

/** Something about the order or the number of deliveries that the reader should notice. */
export type Mark = { readonly kind: 'duplicate' | 'reordered' | 'overtaken' | 'gap'; readonly text: string }

type DeliveryEntry = {
  readonly deliveryId: string
  readonly subscriptionId: string
  readonly eventId: string
  readonly eventName: string
}

/** One thing that happened, or that will. */
export type Entry = { readonly at: string; readonly marks: readonly Mark[] } & (
  | { readonly kind: 'request'; readonly request: ApiRequest }
  | { readonly kind: 'change'; readonly state: string }
  | { readonly kind: 'event'; readonly event: Event }
  | (DeliveryEntry & { readonly kind: 'attempt'; readonly attempt: Attempt })
  | (DeliveryEntry & { readonly kind: 'finished'; readonly status: string })
  | (DeliveryEntry & { readonly kind: 'next_attempt'; readonly number: number })
)

/** Everything that happened to a call or a group. */
export type Timeline = {
  readonly subject: string
  readonly now: string
  readonly call: Call | null
  readonly group: Group | null
  readonly subscriptions: readonly Subscription[]
  readonly deliveries: readonly (Delivery & { readonly marks: readonly Mark[] })[]
  readonly entries: readonly Entry[]
}
