import {
  type Claim,
  createReceiver,
  type Dedupe,
  type DeliveryContext,
  identifyEvent,
  memoryDedupe,
  type Receiver,
  standardWebhooks,
  staticHeader,
  unsigned,
} from '@wabakit/webhooks'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { joined, secret, signedRequest, summary } from './signed.ts'

const verify = standardWebhooks({ secrets: [secret] })
/** A store that grants every claim, with the given methods. */
const createStore = (claim: Partial<Claim>): Dedupe => ({
  claim: () => ({ renew: () => true, complete: () => true, release: () => {}, ...claim }),
})
const receive = (dedupe: Dedupe): Receiver => createReceiver({ verify, dedupe }).onError(() => {})
const getStatus = async (receiver: Receiver, request: Promise<Request>) =>
  (await receiver.handle(await request)).status

describe('a delivery', () => {
  it('whose handler crashed is handled when it is sent again', async () => {
    let tries = 0
    const receiver = receive(memoryDedupe()).onAny(() => {
      tries += 1
      if (tries === 1) throw new Error('crash')
    })
    const send = () => getStatus(receiver, signedRequest(joined, { id: 'msg_1' }))
    expect([await send(), await send(), await send(), tries]).toEqual([500, 200, 200, 2])
  })

  describe('gets a response although the store never responds', () => {
    const never = () => new Promise<never>(() => {})
    const respond = async (store: Dedupe, work = () => {}) => {
      const request = await signedRequest(joined)
      vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
      onTestFinished(() => void vi.useRealTimers())
      const errors: string[] = []
      const receiver = receive(store)
        .onAny(work)
        .onError((error) => errors.push(String(error)))
      let status: number | undefined
      void receiver.handle(request).then((response) => {
        status = response.status
      })
      await vi.advanceTimersByTimeAsync(10_000)
      return [status, errors.join()]
    }
    const fail = () => {
      throw new Error('failed')
    }
    const late = expect.stringContaining('The dedupe store did not respond within')
    it.each<[string, number, Dedupe, (() => void)?]>([
      ['to a claim', 503, { claim: never }],
      ['to a completion', 503, createStore({ complete: never })],
      ['to a release', 500, createStore({ release: never }), fail],
    ])('%s', async (_, status, store, work) => {
      expect(await respond(store, work)).toEqual([status, late])
    })

    it('to a claim, which is released when it succeeds late', async () => {
      const claimed = Promise.withResolvers<Claim>()
      expect(await respond({ claim: () => claimed.promise })).toEqual([503, late])
      const release = vi.fn()
      claimed.resolve({ renew: () => true, complete: () => true, release })
      await vi.waitFor(() => expect(release).toHaveBeenCalledOnce())
    })
  })

  it('is not handled, and gets a 503, while the store is down', async () => {
    let handled = 0
    const down = { claim: () => Promise.reject(new Error('down')) }
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

  it('that is not handled gets a code and a sentence', async () => {
    const outcomes: [Dedupe['claim'], object][] = [
      [() => 'in_progress', { code: 'in_progress', message: 'This delivery is already being handled.' }],
      [
        () => Promise.reject(new Error('hunter2')),
        { code: 'store_unavailable', message: 'The delivery store is not available.' },
      ],
    ]
    for (const [claim, body] of outcomes) {
      const response = await receive({ claim })
        .onAny(() => {})
        .handle(await signedRequest(joined))
      expect(await response.json()).toEqual(body)
    }
  })

  it('gets no 200 when its completion fails, because the sender would not retry', async () => {
    const throwing = () => {
      throw new Error('down')
    }
    for (const complete of [throwing, () => Promise.reject(new Error('down'))]) {
      const errors: unknown[] = []
      const receiver = createReceiver({ verify, dedupe: createStore({ complete }) })
        .onAny(() => {})
        .onError((error, { stage }) => errors.push([stage, error]))
      const response = await receiver.handle(await signedRequest(joined))
      expect([response.status, response.headers.get('retry-after')]).toEqual([503, '5'])
      expect(errors).toEqual([['dedupe', new Error('down')]])
    }
  })

  it('gets a 409 when another process has claimed it since, and may still fail', async () => {
    for (const complete of [() => false, async () => false]) {
      const receiver = receive(createStore({ complete })).onAny(() => {})
      const response = await receiver.handle(await signedRequest(joined))
      expect([response.status, response.headers.get('retry-after')]).toEqual([409, '6'])
    }
  })

  it('asks to try again after a tenth of its lifetime, 1 to 60 seconds', async () => {
    for (const [claimTtlMs, seconds] of [
      [1, '1'],
      [10_001, '2'],
      [600_000, '60'],
      [Infinity, '60'],
    ] as const) {
      const dedupe: Dedupe = { claim: () => 'in_progress' as const }
      const receiver = createReceiver({ verify: unsigned(), dedupe, claimTtlMs }).onAny(() => {})
      const response = await receiver.handle(await signedRequest(joined))
      expect([response.status, response.headers.get('retry-after')]).toEqual([409, seconds])
    }
  })

  it('is renewed by a timer that does not keep the process running, and rarely when its claim is long', async () => {
    const timers = vi.spyOn(globalThis, 'setInterval')
    onTestFinished(() => timers.mockRestore())
    const renew = vi.fn(() => true)
    for (const claimTtlMs of [3_600_000, 1e12, Number.POSITIVE_INFINITY]) {
      const receiver = createReceiver({ verify, dedupe: createStore({ renew }), claimTtlMs }).onAny(() => {
        expect(Object(timers.mock.results.at(-1)?.value).hasRef()).toBe(false)
        return new Promise((resolve) => setTimeout(resolve, 20))
      })
      expect(await getStatus(receiver, signedRequest(joined))).toBe(200)
    }
    expect(renew).not.toHaveBeenCalled()
  })

  it('gets a 500 when its handler fails, even if the claim cannot be released', async () => {
    const stages: string[] = []
    const gone = () => Promise.reject(new Error('down'))
    const receiver = createReceiver({ verify, dedupe: createStore({ release: gone }) })
      .onAny(() => Promise.reject(new Error('crash')))
      .onError((_, { stage }) => stages.push(stage))
    expect(await getStatus(receiver, signedRequest(joined))).toBe(500)
    expect(stages).toEqual(['handler', 'dedupe'])
  })

  it('is not handled when a store of the wrong shape returns no claim', async () => {
    let handled = 0
    for (const outcome of ['claimed', undefined, null, true, {}]) {
      const errors: unknown[] = []
      const dedupe = { claim: () => outcome, complete: () => {}, release: () => {} } as unknown as Dedupe
      const receiver = createReceiver({ verify, dedupe })
        .onAny(() => (handled += 1))
        .onError((error) => errors.push(error))
      expect(await getStatus(receiver, signedRequest(joined))).toBe(503)
      expect(errors).toEqual([
        new TypeError('dedupe.claim() must return a claim, "duplicate" or "in_progress".'),
      ])
    }
    expect(handled).toBe(0)
  })

  it('stays handled when a slow worker fails after a fast one has handled it', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
    onTestFinished(() => void vi.useRealTimers())
    let now = 0
    let handled = 0
    const dedupe = memoryDedupe({ now: () => now })
    const started = Promise.withResolvers<void>()
    const crash = Promise.withResolvers<void>()
    const slow = receive(dedupe).onAny(() => {
      started.resolve()
      return crash.promise
    })
    const fast = receive(dedupe).onAny(() => (handled += 1))
    const send = (receiver: Receiver) => getStatus(receiver, signedRequest(joined, { id: 'msg_1' }))
    const late = send(slow)
    await started.promise
    now = 60_000
    expect(await send(fast)).toBe(200)
    crash.reject(new Error('crash'))
    expect(await late).toBe(500)
    expect([await send(fast), handled]).toEqual([200, 1])
  })

  it('stays claimed as long as its handler runs, and no longer', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
    onTestFinished(() => void vi.useRealTimers())
    let now = 0
    const dedupe = memoryDedupe({ now: () => now })
    const started = Promise.withResolvers<void>()
    const crash = Promise.withResolvers<void>()
    const receiver = receive(dedupe).onAny(() => {
      started.resolve()
      return crash.promise
    })
    const { key } = await identifyEvent('', { 'webhook-id': 'msg_1' })
    const status = getStatus(receiver, signedRequest(joined, { id: 'msg_1' }))
    await started.promise
    for (; now < 600_000; now += 20_000) {
      await vi.advanceTimersByTimeAsync(20_000)
      expect(dedupe.claim(key, 1)).toBe('in_progress')
    }
    crash.reject(new Error('crash'))
    expect([await status, vi.getTimerCount()]).toEqual([500, 0])
  })

  it('is no longer renewed once the claim is lost; failing renewals are reported', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
    onTestFinished(() => void vi.useRealTimers())
    const started = Promise.withResolvers<void>()
    const finish = Promise.withResolvers<void>()
    const renew = vi
      .fn()
      .mockRejectedValueOnce(new Error('down'))
      .mockResolvedValueOnce(true)
      .mockResolvedValue(false)
    const errors: unknown[] = []
    const receiver = createReceiver({ verify, dedupe: createStore({ renew }), claimTtlMs: 30 })
      .onAny(() => {
        started.resolve()
        return finish.promise
      })
      .onError((error) => errors.push(error))
    const status = getStatus(receiver, signedRequest(joined))
    await started.promise
    await vi.advanceTimersByTimeAsync(100)
    expect([renew.mock.calls, errors]).toEqual([[[30], [30], [30]], [new Error('down')]])
    finish.resolve()
    expect(await status).toBe(200)
  })

  it('is claimed before an early response, and released when its handler fails afterwards', async () => {
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
    const { key } = await identifyEvent('', { 'webhook-id': 'msg_1' })
    expect((await receiver.handle(await signedRequest(joined, { id: 'msg_1' }), host)).status).toBe(200)
    expect(dedupe.claim(key, 1_000)).toBe('in_progress')
    await Promise.all(work)
    expect(dedupe.claim(key, 1_000)).toBeTypeOf('object')
  })
})

describe('an event without a webhook-id', () => {
  const collect = async (events: readonly object[]) => {
    const deliveries: DeliveryContext['delivery'][] = []
    const verify = staticHeader({ header: 'x-token', value: 'token' })
    const add = (_: unknown, { delivery }: DeliveryContext) => deliveries.push(delivery)
    const receiver = createReceiver({ verify, dedupe: memoryDedupe() }).onAny(add).onUnknown(add).onDrift(add)
    for (const event of events) {
      const body = new TextEncoder().encode(JSON.stringify(event))
      const request = new Request('http://localhost', {
        method: 'POST',
        body,
        headers: { 'x-token': 'token' },
      })
      expect((await receiver.handle(request)).status).toBe(200)
    }
    return deliveries
  }

  it('is handled once if it happens once, or if no other event can have its body', async () => {
    const at = '2026-01-05T09:05:00.000Z'
    const created = { event: 'GROUP_CREATED', groupId: 'g-1', groupCreatedAt: at }
    const ended = { event: 'CALL_ENDED', callId: 'c' }
    const join = { ...joined, participantJoinedAt: at }
    const again = [{ ...summary, durationInSeconds: 43 }, { ...created, groupName: 'a' }, ended, join]
    expect(await collect([summary, created, ended, join, ...again])).toEqual([
      { id: undefined, key: expect.stringMatching(/^fact:[0-9a-f]{64}$/), identity: 'fact' },
      { id: undefined, key: expect.stringMatching(/^fact:[0-9a-f]{64}$/), identity: 'fact' },
      { id: undefined, key: expect.stringMatching(/^body:[0-9a-f]{64}$/), identity: 'body' },
      { id: undefined, key: expect.stringMatching(/^body:[0-9a-f]{64}$/), identity: 'body' },
    ])
  })

  it('is handled each time it arrives, with a key of its own, if another event may have its body', async () => {
    const events = [
      { event: 'CALL_NOT_PICKED', callId: 'c' },
      { tagId: 'tag_1', tagAdded: true },
      { ...summary, summary: 1 },
      joined,
      { event: 'GROUP_CREATED', groupId: 'g' },
    ]
    const deliveries = await collect([...events, ...events, ...events])
    expect(deliveries.map(({ identity }) => identity)).toEqual(Array.from({ length: 15 }, () => 'none'))
    expect(new Set(deliveries.map(({ key }) => key)).size).toBe(15)
  })
})
