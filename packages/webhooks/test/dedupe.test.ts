import {
  createReceiver,
  type Dedupe,
  type DeliveryContext,
  memoryDedupe,
  type Receiver,
  standardWebhooks,
  staticHeader,
} from '@wabakit/webhooks'
import { describe, expect, it } from 'vitest'
import { joined, secret, signedRequest, summary } from './signed.ts'

const receive = (dedupe: Dedupe): Receiver =>
  createReceiver({ verify: standardWebhooks({ secrets: [secret] }), dedupe }).onError(() => {})
const statusOf = async (receiver: Receiver, request: Promise<Request>) =>
  (await receiver.handle(await request)).status

describe('a delivery', () => {
  it('is handled once, and its retry is answered 200', async () => {
    let handled = 0
    const receiver = receive(memoryDedupe()).onAny(() => (handled += 1))
    for (const id of ['msg_1', 'msg_1', 'msg_2']) {
      expect(await statusOf(receiver, signedRequest(joined, { id }))).toBe(200)
    }
    expect(handled).toBe(2)
  })

  it('whose handler crashed is handled when it is sent again', async () => {
    let tries = 0
    const receiver = receive(memoryDedupe()).onAny(() => {
      tries += 1
      if (tries === 1) throw new Error('crash')
    })
    const send = () => statusOf(receiver, signedRequest(joined, { id: 'msg_1' }))
    expect([await send(), await send(), await send(), tries]).toEqual([500, 200, 200, 2])
  })

  it('is not handled, and answered 503, while the store is down', async () => {
    let handled = 0
    const down = { claim: () => Promise.reject(new Error('down')), complete: () => {}, release: () => {} }
    const stages: string[] = []
    const receiver = receive(down)
      .onAny(() => (handled += 1))
      .onError((_, { stage }) => stages.push(stage))
    const response = await receiver.handle(await signedRequest(joined))
    expect([response.status, response.headers.get('retry-after'), handled, stages]).toEqual([
      503,
      '5',
      0,
      ['dedupe'],
    ])
  })

  it('keeps its answer when the store goes down while it is handled', async () => {
    const gone = () => {
      throw new Error('down')
    }
    const goesDown: Dedupe = { claim: () => 'claimed', complete: gone, release: gone }
    expect(
      await statusOf(
        receive(goesDown).onAny(() => {}),
        signedRequest(joined),
      ),
    ).toBe(200)
    const failing = receive(goesDown).onAny(() => Promise.reject(new Error('crash')))
    expect(await statusOf(failing, signedRequest(joined))).toBe(500)
  })

  it('is claimed before an early answer, and released when its handler fails afterwards', async () => {
    const dedupe = memoryDedupe()
    const work: Promise<unknown>[] = []
    const receiver = createReceiver({
      verify: standardWebhooks({ secrets: [secret] }),
      dedupe,
      ack: 'before',
    })
      .onAny(() => Promise.reject(new Error('crash')))
      .onError(() => {})
    const host = { waitUntil: (promise: Promise<unknown>) => work.push(promise) }
    expect((await receiver.handle(await signedRequest(joined, { id: 'msg_1' }), host)).status).toBe(200)
    expect(dedupe.claim('id:msg_1', 1_000)).toBe('in_progress')
    await Promise.all(work)
    expect(dedupe.claim('id:msg_1', 1_000)).toBe('claimed')
  })
})

describe('the key of a delivery without a webhook-id', () => {
  const keyOf = async (event: object) => {
    const contexts: DeliveryContext[] = []
    const receiver = createReceiver({ verify: staticHeader({ header: 'x-token', value: 'token' }) })
      .onAny((_, context) => contexts.push(context))
      .onUnknown((_, context) => contexts.push(context))
    const request = new Request('http://localhost', {
      method: 'POST',
      body: new TextEncoder().encode(JSON.stringify(event)),
      headers: { 'x-token': 'token' },
    })
    expect((await receiver.handle(request)).status).toBe(200)
    expect(contexts[0]?.delivery.id).toBeUndefined()
    return contexts[0]?.delivery.key
  }

  it('is the identity of the events that happen once', async () => {
    expect(await keyOf(summary)).toBe('CALL_AI_SUMMARY:call-1')
    expect(await keyOf({ ...summary, durationInSeconds: 43 })).toBe('CALL_AI_SUMMARY:call-1')
    expect(await keyOf({ event: 'GROUP_CREATED', groupId: 'g-1' })).toBe('GROUP_CREATED:g-1')
  })

  it('is the SHA-256 of the body for events that may happen again', async () => {
    const key = await keyOf(joined)
    expect(key).toMatch(/^sha256:[0-9a-f]{64}$/)
    expect(await keyOf(joined)).toBe(key)
    expect(await keyOf({ ...joined, customerPhone: '+1' })).not.toBe(key)
    expect(await keyOf({ event: 'CALL_NOT_PICKED', callId: 'c' })).toMatch(/^sha256:/)
    expect(await keyOf({ type: 'wa_group' })).toMatch(/^sha256:/)
  })

  it('is short enough for an index, however long an id is', async () => {
    const long = await keyOf({ ...summary, callId: 'c'.repeat(100_000) })
    expect(long).toMatch(/^sha256:[0-9a-f]{64}$/)
    expect(long).not.toBe(await keyOf({ ...summary, callId: 'd'.repeat(100_000) }))
  })
})
