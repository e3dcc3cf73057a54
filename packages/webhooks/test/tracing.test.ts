import { tracingChannel } from 'node:diagnostics_channel'
import { DatabaseSync } from 'node:sqlite'
import {
  createReceiver,
  type Dedupe,
  type InboxTrace,
  memoryDedupe,
  type Receiver,
  sqlInbox,
  unsigned,
  type WebhookTrace,
} from '@wabakit/webhooks'
import { expect, it, onTestFinished } from 'vitest'
import { joined, signedRequest, summary } from './signed.ts'

const verify = unsigned()
const unavailable: Dedupe = { claim: () => Promise.reject(new Error('down')) }
const claimed: Dedupe = { claim: () => 'in_progress' }
const known: Dedupe = { claim: () => 'duplicate' }

const handling = (dedupe?: Dedupe): Receiver => createReceiver({ verify, dedupe }).onAny(() => {})
const failing = createReceiver({ verify }).onAny(() => Promise.reject(new Error('down')))
const storing = createReceiver({ verify, inbox: sqlInbox(new DatabaseSync(':memory:')) })
const drifted = { ...summary, channel: 5 }
const delivery = { id: 'a', key: expect.stringMatching(/^id:/), identity: 'id' }
const eventName = 'GROUP_PARTICIPANT_JOINED'

it.each<[string, Pick<Receiver, 'handle' | 'onError'>, object, object]>([
  ['a handled event', handling(memoryDedupe()), joined, { eventName, delivery, outcome: 'handled' }],
  ['a duplicate', handling(known), joined, { eventName, delivery, outcome: 'duplicate' }],
  [
    'an event that is being handled',
    handling(claimed),
    joined,
    { eventName, delivery, outcome: 'in_progress' },
  ],
  ['a handler that fails', failing, joined, { eventName, delivery, outcome: 'failed' }],
  ['a store that is down', handling(unavailable), joined, { eventName, delivery, outcome: 'unavailable' }],
  [
    'an event without a handler',
    createReceiver({ verify, dedupe: unavailable }),
    joined,
    { eventName, outcome: 'ignored' },
  ],
  ['an unknown event', handling(unavailable), { event: 'NEW' }, { outcome: 'ignored' }],
  ['a drifted event', handling(), drifted, { outcome: 'rejected' }],
  [
    'a drifted event with a handler',
    createReceiver({ verify }).onDrift(() => {}),
    drifted,
    { eventName: 'CALL_AI_SUMMARY', delivery, outcome: 'handled' },
  ],
  ['an event in an inbox', storing, joined, { outcome: 'stored' }],
])('traces %s with its name, delivery and outcome', async (_, receiver, event, expected) => {
  const traces: WebhookTrace[] = []
  const channel = tracingChannel<WebhookTrace, WebhookTrace>('wabakit.webhook')
  const ignore = () => {}
  const asyncEnd = (trace: WebhookTrace) => void traces.push(trace)
  const handlers = { start: ignore, end: ignore, asyncStart: ignore, asyncEnd, error: ignore }
  channel.subscribe(handlers)
  onTestFinished(() => void channel.unsubscribe(handlers))
  receiver.onError(() => {})
  const request = await signedRequest(event, { id: 'a' })
  const result = await receiver.handle(request)
  expect(traces).toEqual([{ request, result, verifiedBy: ['unsigned'], ...expected }])
})

it('traces each attempt of an inbox with the headers of its request, its name and its outcome', async () => {
  const traces: InboxTrace[] = []
  const channel = tracingChannel<InboxTrace, InboxTrace>('wabakit.inbox')
  const ignore = () => {}
  const asyncEnd = (trace: InboxTrace) => void traces.push(trace)
  const listeners = { start: ignore, end: ignore, asyncStart: ignore, asyncEnd, error: ignore }
  channel.subscribe(listeners)
  onTestFinished(() => void channel.unsubscribe(listeners))
  const inbox = sqlInbox(new DatabaseSync(':memory:'))
  const receiver = createReceiver({ verify, inbox }).onError(ignore)
  let failures = 1
  receiver.on('GROUP_PARTICIPANT_JOINED', () => {
    if (failures-- > 0) throw new Error('down')
  })
  const request = await signedRequest(joined, { id: 'a' })
  request.headers.set('traceparent', '00-1')
  await receiver.handle(request)
  await receiver.handle(await signedRequest(summary, { id: 'b' }))
  await receiver.drain()
  const attempts = () =>
    traces.map(({ eventName, attempt, outcome, headers }) => [
      eventName,
      attempt,
      outcome,
      headers.get('traceparent'),
    ])
  const unhandled = ['CALL_AI_SUMMARY', 1, 'unhandled', null]
  expect(attempts().toSorted()).toEqual([unhandled, ['GROUP_PARTICIPANT_JOINED', 1, 'failed', '00-1']])
  await expect
    .poll(async () => {
      await receiver.drain()
      return attempts()
    })
    .toContainEqual(['GROUP_PARTICIPANT_JOINED', 2, 'handled', '00-1'])
})
