import type { EventName, WebhookEvent } from '@wabakit/wire'
import { expectTypeOf } from 'vitest'
import { createReceiver, type ParsedEvent, parseEvent, unsigned } from '../index.ts'

const parsed = parseEvent('{}')
expectTypeOf(parsed).toEqualTypeOf<ParsedEvent>()

if (parsed.kind === 'event') {
  expectTypeOf(parsed.event).toEqualTypeOf<WebhookEvent>()
  expectTypeOf(parsed.recognizedBy).toEqualTypeOf<'event' | 'eventType' | 'shape'>()
}
if (parsed.kind === 'drifted') expectTypeOf(parsed.name).toEqualTypeOf<EventName>()
if (parsed.kind === 'unknown') expectTypeOf(parsed.raw.anything).toEqualTypeOf<unknown>()

// A handler's event is narrowed by its name, or by several names to their union.
const receiver = createReceiver({ verify: unsigned() })
  .on('CALL_AI_SUMMARY', (event, context) => {
    expectTypeOf(event.summary.recap).toEqualTypeOf<string>()
    expectTypeOf(context.delivery.id).toEqualTypeOf<string | undefined>()
    // @ts-expect-error a misspelled field
    event.calId
  })
  .on(['GROUP_PARTICIPANT_JOINED', 'GROUP_PARTICIPANT_LEFT'], async (event) => {
    expectTypeOf(event.event).toEqualTypeOf<'GROUP_PARTICIPANT_JOINED' | 'GROUP_PARTICIPANT_LEFT'>()
    if (event.event === 'GROUP_PARTICIPANT_LEFT') expectTypeOf(event).toHaveProperty('participantLeftAt')
  })
  .onAny((event) => expectTypeOf(event).toEqualTypeOf<WebhookEvent>())
  .onUnknown((event) => expectTypeOf(event.name).toEqualTypeOf<string | undefined>())
  .onDrift((event) => expectTypeOf(event.name).toEqualTypeOf<EventName>())
  .onError((error, failure) => {
    expectTypeOf(error).toEqualTypeOf<unknown>()
    expectTypeOf(failure.stage).toEqualTypeOf<'request' | 'dedupe' | 'inbox' | 'handler'>()
  })

// @ts-expect-error no such event
receiver.on('CALL_FINISHED', () => {})
// @ts-expect-error a receiver needs a verifier
createReceiver({})
expectTypeOf(receiver.subscribe('GROUP_CREATED', (event) => event.inviteLink)).toEqualTypeOf<() => void>()

// The route handlers of Next.js and of Fetch servers.
const POST: (request: Request, context: { params: Promise<object> }) => Promise<Response> = receiver.handle
const fetchHandler: { fetch(request: Request, env: object, context: object): Promise<Response> } = {
  fetch: (request, _env, context) => receiver.handle(request, context),
}
void POST
void fetchHandler
