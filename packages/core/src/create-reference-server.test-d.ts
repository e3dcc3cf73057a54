import type { PublishedEvent, PublishedEventOf } from '@wabakit/contract'
import { expectTypeOf } from 'vitest'
import { createReferenceServer, type Publication, type ReferenceServerOptions, type Store } from './index.ts'

const server = createReferenceServer()

// A listener gets the event that it is registered for.
server.on('CALL_AI_SUMMARY', (event, publication) => {
  expectTypeOf(event.summary.keyPoints).toEqualTypeOf<string[]>()
  expectTypeOf(publication).toEqualTypeOf<Publication<PublishedEventOf<'CALL_AI_SUMMARY'>>>()
})
server.on('GROUP_PARTICIPANT_LEFT', ({ participantLeftAt }) => expectTypeOf(participantLeftAt).toBeString())
server.on('*', (event) => expectTypeOf(event).toEqualTypeOf<PublishedEvent>())
// @ts-expect-error: no such event
server.on('CALL_EXPLODED', () => {})
// @ts-expect-error: an event that the reference server never publishes
server.on('CALL_MISSED', () => {})

// A switch over all events narrows, and a missing case does not compile.
server.on('*', (event) => {
  switch (event.event) {
    case 'GROUP_CREATED':
      return event.groupId
    case 'CALL_AI_SUMMARY':
      return event.summary.recap
    default:
      // @ts-expect-error: the other events are not handled
      return event satisfies never
  }
})

// The platform's fetch can send deliveries, and so can a function that inspects them.
const options: ReferenceServerOptions[] = [
  { fetch },
  { fetch: async (_url, _init, { delivery }) => new Response(delivery.webhookId) },
  { rateLimit: false },
  { rateLimit: { organization: { requests: 1, perMs: 1 }, ip: false } },
]
expectTypeOf(options).toBeArray()
// @ts-expect-error: a declared organization needs an id
createReferenceServer({ organizations: [{ pstnNumbers: [] }] })
// @ts-expect-error: automatic or manual
createReferenceServer({ organizations: [{ id: 'acme', callSummaries: 'sometimes' }] })

// Records are read-only, and an outcome must be examined before its delivery is read.
declare const store: Store
const { group, outcome } = await store.createGroup({} as Parameters<Store['createGroup']>[0])
expectTypeOf(outcome).toEqualTypeOf<'created' | 'same' | 'conflict'>()
// @ts-expect-error: read-only
group.subject = 'x'
const settled = await store.settleDeliveries({} as Parameters<Store['settleDeliveries']>[0])
// @ts-expect-error: a stale settlement has no delivery
settled.delivery
