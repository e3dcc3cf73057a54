import { setImmediate } from 'node:timers/promises'
import { inspect } from 'node:util'
import {
  basicAuth,
  bearerAuth,
  createReceiver,
  type DeliveryContext,
  type Failure,
  isWebhookParseError,
  memoryDedupe,
  type Receiver,
  type ReceiverOptions,
  standardWebhooks,
  staticHeader,
  unsigned,
  WebhookDriftError,
  WebhookHandlerTimeoutError,
} from '@wabakit/webhooks'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { joined, secret, signed, signedRequest, summary } from './signed.ts'

const receive = (options: Partial<ReceiverOptions> = {}): Receiver =>
  createReceiver({ verify: standardWebhooks({ secrets: [secret] }), ...options }).onError(() => {})

const send = async (receiver: Receiver, request: Request | Promise<Request>) => {
  const response = await receiver.handle(await request)
  const text = await response.text()
  return { status: response.status, headers: response.headers, ...(text !== '' && JSON.parse(text)) }
}

describe('a receiver responds', () => {
  it('200 to events without a handler, and to events that this version does not know', async () => {
    for (const event of [joined, { event: 'CALL_TRANSFERRED' }, { type: 'wa_group', messageId: 'm' }]) {
      expect(await send(receive(), signedRequest(event))).toMatchObject({ status: 200 })
    }
  })

  it('400 to a POST without a body', async () => {
    const request = new Request('http://localhost', { method: 'POST' })
    expect(await send(receive({ verify: unsigned() }), request)).toMatchObject({
      status: 400,
      code: 'not_json',
    })
  })

  it('400 to a body that is not UTF-8', async () => {
    const request = new Request('http://localhost', { method: 'POST', body: Uint8Array.from([0xff]) })
    expect(await send(receive({ verify: unsigned() }), request)).toMatchObject({
      status: 400,
      code: 'not_utf8',
    })
  })

  it('400 and an explanation when the body was read before', async () => {
    const read = await signedRequest(joined)
    await read.json()
    const locked = await signedRequest(joined)
    locked.body?.getReader()
    for (const request of [read, locked]) {
      const { status, code, message } = await send(receive(), request)
      expect({ status, code }).toEqual({ status: 400, code: 'body_was_parsed' })
      expect(message).toMatch(/Other code has read the body.*express\.json\(\{ verify:/)
    }
  })

  it('401 with the reason to what is not verified', async () => {
    const forged = await signed(joined)
    const request = new Request('http://localhost', { ...forged, body: forged.body.replace('g-1', 'g-2') })
    expect(await send(receive(), request)).toMatchObject({ status: 401, code: 'no_matching_signature' })
    const old = signedRequest(joined, { timestamp: Math.floor(Date.now() / 1000) - 1_000 })
    expect(await send(receive(), old)).toMatchObject({ status: 401, code: 'timestamp_too_old' })
  })

  it.each([
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=json',
    'json',
    'application/jsonp',
  ])('415 to %s', async (type) => {
    const request = signedRequest(joined, { headers: { 'content-type': type } })
    expect(await send(receive(), request)).toMatchObject({
      status: 415,
      code: 'unsupported_media_type',
      message: expect.stringMatching(/must be application\/json\. Register .* POST and the body format JSON/),
    })
  })

  it.each([
    'application/json',
    'Application/JSON; charset="UTF-8"',
    'application/json;charset=utf8',
    'application/json; charset=iso-8859-1',
    'application/json, application/json; charset=utf-8',
    'application/vnd.x+json',
    'text/json',
    '',
  ])('not 415 to %j', async (type) => {
    const request = signedRequest(joined, { headers: { 'content-type': type } })
    expect(await send(receive(), request)).toMatchObject({ status: 200 })
  })

  it('422 with the issues to a drifted event, unless a handler takes it', async () => {
    const errors: unknown[] = []
    const drifted = () => signedRequest({ ...summary, channel: 5 })
    const rejecting = receive()
      .onAny(() => {})
      .onError((error) => errors.push(error))
    expect(await send(rejecting, drifted())).toMatchObject({
      status: 422,
      code: 'drifted',
      issues: [{ path: 'channel' }],
    })
    expect(errors).toEqual([expect.any(WebhookDriftError)])
    expect(await new Response(Object(errors[0]).rawBody).json()).toEqual({ ...summary, channel: 5 })
    expect(inspect(errors[0], { depth: null })).not.toContain('rawBody')

    const names: string[] = []
    const taking = receive().onDrift((event) => names.push(event.name))
    expect(await send(taking, drifted())).toMatchObject({ status: 200 })
    expect(names).toEqual(['CALL_AI_SUMMARY'])
  })

  it('an explanation when a handler fails, and asks for another attempt only where one can help', async () => {
    const failing = receive().onAny(() => Promise.reject(new Error('hunter2')))
    expect(await send(failing, signedRequest(joined))).toMatchObject({
      code: 'handler_failed',
      message: 'The delivery was not handled.',
    })
    const rejected = [
      new Request('http://localhost'),
      await signedRequest('{'),
      await signedRequest(joined, { headers: { 'content-type': 'text/plain' } }),
      await signedRequest({ ...joined, pad: 'p'.repeat(1_000) }),
      await signedRequest({ ...summary, channel: 5 }),
      await signedRequest(joined, { timestamp: 1 }),
    ]
    for (const request of rejected) {
      const { headers, status } = await send(receive({ maxBodyBytes: 1_000 }), request)
      expect([status >= 400, headers.get('retry-after')]).toEqual([true, null])
    }
  })

  it('500 when a handler throws or rejects, without revealing the error', async () => {
    for (const handler of [
      () => {
        throw new Error('hunter2')
      },
      () => Promise.reject(new Error('hunter2')),
    ]) {
      const response = await receive()
        .onAny(handler)
        .handle(await signedRequest(joined))
      expect(response.status).toBe(500)
      expect(await response.text()).not.toContain('hunter2')
    }
  })
})

describe('verification', () => {
  it('accepts only when its function returns true', async () => {
    const verdicts: unknown[] = [
      true,
      Promise.resolve(true),
      false,
      undefined,
      1,
      'yes',
      {},
      Promise.resolve('true'),
    ]
    const statuses = await Promise.all(
      verdicts.map(async (verdict) => {
        const verify = (() => verdict) as ReceiverOptions['verify']
        return (await receive({ verify }).handle(await signedRequest(joined))).status
      }),
    )
    expect(statuses).toEqual([200, 200, 401, 401, 401, 401, 401, 401])
    expect(await send(receive({ verify: () => false }), signedRequest(joined))).toMatchObject({
      code: 'not_verified',
      message: 'The verify function did not return true.',
    })
  })

  it('uses the id and the time that its function returns, and accepts no other object', async () => {
    const seen: unknown[] = []
    const sentAt = new Date(1_800_000_000_000)
    const verdicts: unknown[] = [
      { id: 'own', sentAt },
      Promise.resolve({ id: 'own', sentAt }),
      { id: '', sentAt },
      { id: 'own' },
      { sentAt },
      { id: 'own', sentAt: sentAt.toISOString() },
    ]
    const statuses: number[] = []
    for (const verdict of verdicts) {
      const verify = (() => verdict) as ReceiverOptions['verify']
      const receiver = receive({ verify }).onAny((_, { delivery, attempt }) =>
        seen.push([delivery, attempt.at]),
      )
      statuses.push((await receiver.handle(await signedRequest(joined))).status)
    }
    expect(statuses).toEqual([200, 200, 401, 401, 401, 401])
    expect(seen).toEqual(
      Array.from({ length: 2 }, () => [
        { id: 'own', key: expect.stringMatching(/^id:[0-9a-f]{64}$/), identity: 'id' },
        sentAt,
      ]),
    )
  })

  it('reads each signature header once', async () => {
    const request = await signedRequest(joined)
    const get = vi.spyOn(Headers.prototype, 'get')
    onTestFinished(() => get.mockRestore())
    expect(
      (
        await receive({ dedupe: memoryDedupe() })
          .onAny(() => {})
          .handle(request)
      ).status,
    ).toBe(200)
    const names = get.mock.calls.map(([name]) => name).filter((name) => name.startsWith('webhook-'))
    expect(names.toSorted()).toEqual(['webhook-id', 'webhook-signature', 'webhook-timestamp'])
  })

  it('takes the id and the time from the headers when its function returns true', async () => {
    const seen: unknown[] = []
    const receiver = receive({ verify: unsigned() }).onAny((_, { delivery, attempt }) =>
      seen.push([delivery.id, attempt.at]),
    )
    for (const timestamp of ['1800000000', '8640000000001', '1e9', '']) {
      const headers = { 'webhook-id': 'msg.1', 'webhook-timestamp': timestamp }
      const init = { method: 'POST', body: new TextEncoder().encode(JSON.stringify(joined)), headers }
      expect((await receiver.handle(new Request('http://localhost', init))).status).toBe(200)
    }
    expect(seen).toEqual([
      ['msg.1', new Date(1_800_000_000_000)],
      ['msg.1', undefined],
      ['msg.1', undefined],
      ['msg.1', undefined],
    ])
  })

  it('rejects when its function throws, and passes the error only to listeners', async () => {
    const thrown = [new Error('hunter2'), new TypeError('hunter2'), 'hunter2', { message: 'hunter2' }]
    for (const error of thrown) {
      const verifiers = [
        () => {
          throw error
        },
        () => Promise.reject(error),
        Object.assign(() => true, {
          checkHeaders: () => {
            throw error
          },
        }),
      ]
      for (const verify of verifiers) {
        const errors: unknown[] = []
        const receiver = receive({ verify }).onError((heard) => errors.push(heard))
        const response = await receiver.handle(await signedRequest(joined))
        expect([response.status, await response.json()]).toEqual([
          401,
          { code: 'not_verified', message: 'The delivery was not verified.' },
        ])
        expect(JSON.stringify([...response.headers])).not.toContain('hunter2')
        expect(errors).toEqual([error])
      }
    }
  })

  it('passes the headers, the bytes and the URL to its function', async () => {
    const verify = vi.fn(() => true)
    const { body } = await signed(joined)
    await receive({ verify }).handle(await signedRequest(joined))
    expect(verify).toHaveBeenCalledWith({
      headers: expect.any(Headers),
      body: new TextEncoder().encode(body),
      bodyWasParsed: false,
      url: 'http://localhost/webhooks',
    })
  })

  it.each([
    standardWebhooks({ secrets: [secret] }),
    staticHeader({ header: 'x-token', value: 'token' }),
    bearerAuth({ token: 'token' }),
    basicAuth({ username: 'user', password: 'password' }),
  ])('rejects a request without its headers before it reads the body', async (verify) => {
    const pull = vi.fn()
    const body = new ReadableStream({ pull }, { highWaterMark: 0 })
    const request = new Request('http://localhost', { method: 'POST', body, duplex: 'half' } as RequestInit)
    expect(await send(receive({ verify }), request)).toMatchObject({ status: 401, code: 'missing_header' })
    expect(pull).not.toHaveBeenCalled()
  })
})

describe('a body', () => {
  const streamed = (chunks: AsyncIterable<Uint8Array>, headers: Record<string, string> = {}) =>
    new Request('http://localhost', {
      method: 'POST',
      body: chunks,
      headers,
      duplex: 'half',
    } as unknown as RequestInit)
  const open = (options: Partial<ReceiverOptions> = {}) => receive({ verify: unsigned(), ...options })

  it('may arrive in any pieces', async () => {
    const events: unknown[] = []
    const bytes = new TextEncoder().encode(JSON.stringify(summary))
    const pieces = async function* () {
      for (const byte of bytes) yield Uint8Array.of(byte)
    }
    expect(
      await send(
        open().onAny((event) => events.push(event)),
        streamed(pieces()),
      ),
    ).toMatchObject({ status: 200 })
    expect(events).toEqual([summary])
  })

  it('of more than the default maximum is read if the maximum is higher', async () => {
    const large = await signedRequest({ ...summary, pad: 'p'.repeat(1_100_000) })
    expect(await send(receive({ maxBodyBytes: 2_000_000 }), large)).toMatchObject({ status: 200 })
  })

  it('that declares more than the maximum gets a 413 without being read', async () => {
    const request = new Request('http://localhost', {
      method: 'POST',
      body: Uint8Array.of(0x7b),
      headers: { 'content-length': '1048577' },
    })
    expect(await send(open(), request)).toMatchObject({ status: 413, code: 'body_too_large' })
    expect(request.bodyUsed).toBe(false)
  })

  it('in memory needs no timer', async () => {
    using timers = vi.spyOn(globalThis, 'setTimeout')
    expect(await send(open(), await signedRequest(joined))).toMatchObject({ status: 200 })
    expect(timers).not.toHaveBeenCalled()
  })

  it('without end is cut off at the maximum, whatever length it declares', async () => {
    let sent = 0
    const endless = async function* () {
      try {
        for (;;) {
          sent += 1_000
          yield new Uint8Array(1_000)
        }
      } finally {
        sent += 0.5
      }
    }
    for (const headers of [{}, { 'content-length': '10' }, { 'content-length': 'junk' }]) {
      sent = 0
      const { status } = await send(open({ maxBodyBytes: 10_000 }), streamed(endless(), headers))
      expect(status).toBe(413)
      expect(sent).toBeLessThan(15_000)
    }
  })

  it('over the maximum is canceled, so that its sender can stop', async () => {
    const cancel = vi.fn()
    const body = new ReadableStream({
      pull: (controller) => controller.enqueue(new Uint8Array(1_000)),
      cancel,
    })
    const request = new Request('http://localhost', { method: 'POST', body, duplex: 'half' } as RequestInit)
    expect(await send(open({ maxBodyBytes: 10_000 }), request)).toMatchObject({ status: 413 })
    expect(cancel).toHaveBeenCalledTimes(1)
  })

  it('of more than 64 KiB gets a 503 while many like it arrive, and others get through', async () => {
    const receiver = open({ maxBodyBytes: 100_000 }).onAny(() => {})
    const stopped = Promise.withResolvers<void>()
    let [reading, canceled] = [0, 0]
    const started = Array.from({ length: 300 }, () => {
      const body = new ReadableStream({
        start: (controller) => controller.enqueue(new Uint8Array(65_536 + 32_000)),
        pull: async (controller) => {
          reading += 1
          await stopped.promise
          controller.close()
        },
        cancel: () => {
          canceled += 1
        },
      })
      return send(receiver, streamed(body))
    })
    const most = (16 * 100_000) / 32_000
    await expect.poll(() => reading).toBeGreaterThanOrEqual(most)
    expect(await send(receiver, await signedRequest(summary))).toMatchObject({ status: 200 })

    stopped.resolve()
    const responses = await Promise.all(started)
    const refused = responses.filter(({ code }) => code === 'overloaded')
    expect([refused.length, canceled]).toEqual([300 - most, 300 - most])
    expect(refused[0]).toMatchObject({ status: 503, message: 'Too many large bodies are being read.' })
    expect(refused[0]?.headers.get('retry-after')).toBe('5')
    const large = JSON.stringify({ ...summary, padding: 'x'.repeat(90_000) })
    expect(await send(receiver, await signedRequest(JSON.parse(large)))).toMatchObject({ status: 200 })
  })

  it('of more than 64 KiB that times out no longer counts', async () => {
    const receiver = open({ maxBodyBytes: 100_000, bodyTimeoutMs: 5 }).onAny(() => {})
    const hang = () =>
      new ReadableStream({ start: (controller) => controller.enqueue(new Uint8Array(65_536 + 32_000)) })
    for (let round = 0; round < 3; round += 1) {
      const responses = await Promise.all(Array.from({ length: 40 }, () => send(receiver, streamed(hang()))))
      expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([408]))
    }
  })

  it('of more than 64 KiB in many pieces gets through any number of times', async () => {
    const pieces = async function* () {
      for (let piece = 0; piece < 90; piece += 1) yield new TextEncoder().encode(' '.repeat(1_000))
      yield new TextEncoder().encode(JSON.stringify(summary))
    }
    const receiver = open({ maxBodyBytes: 100_000 })
    for (let count = 0; count < 100; count += 1)
      expect(await send(receiver, streamed(pieces()))).toMatchObject({ status: 200 })
  })

  it('that breaks off gets a 400, and onError gets the cause', async () => {
    const errors: unknown[] = []
    const cause = new Error('connection reset')
    const breaking = async function* () {
      yield Uint8Array.of(0x7b)
      throw cause
    }
    const receiver = open().onError((error) => errors.push(error))
    expect(await send(receiver, streamed(breaking()))).toMatchObject({
      status: 400,
      code: 'body_unreadable',
      message: 'Reading the body failed.',
    })
    expect(errors).toMatchObject([{ cause }])
  })

  it('that is not a stream of bytes gets a 400', async () => {
    const errors: unknown[] = []
    const texts = new ReadableStream({
      start: (controller) => {
        controller.enqueue('{}')
        controller.close()
      },
    })
    const receiver = open().onError((error) => errors.push(error))
    expect(await send(receiver, streamed(texts))).toMatchObject({ status: 400, code: 'body_unreadable' })
    expect(errors).toMatchObject([{ cause: new TypeError('The body is not a stream of bytes.') }])
  })
})

describe('handlers', () => {
  it('are called by name, by names and for any, until they unsubscribe', async () => {
    const calls: string[] = []
    const receiver = receive()
      .on('CALL_AI_SUMMARY', (event) => calls.push(`one ${event.summary.recap}`))
      .on(['GROUP_PARTICIPANT_JOINED', 'GROUP_PARTICIPANT_LEFT'], (event) =>
        calls.push(`several ${event.groupId}`),
      )
      .onAny((event) => calls.push(`any ${event.event}`))
    const stop = receiver.subscribe('GROUP_PARTICIPANT_JOINED', () => calls.push('subscribed'))
    await receiver.handle(await signedRequest(joined))
    expect(calls).toEqual(['several g-1', 'any GROUP_PARTICIPANT_JOINED', 'subscribed'])

    calls.length = 0
    stop()
    stop()
    await receiver.handle(await signedRequest(joined))
    expect(calls).toEqual(['several g-1', 'any GROUP_PARTICIPANT_JOINED'])
  })

  it('each get the event even if another one fails', async () => {
    const calls: string[] = []
    const receiver = receive()
      .onAny(() => Promise.reject(new Error('first')))
      .onAny(() => calls.push('second'))
    expect((await receiver.handle(await signedRequest(joined))).status).toBe(500)
    expect(calls).toEqual(['second'])
  })

  it('for a name are not called with unknown events, nor with drifted ones', async () => {
    const handle = vi.fn()
    const receiver = receive()
      .on('CALL_AI_SUMMARY', handle)
      .onDrift(() => {})
    for (const event of [{ event: 'CALL_TRANSFERRED' }, {}, { ...summary, channel: 5 }]) {
      expect(await send(receiver, signedRequest(event))).toMatchObject({ status: 200 })
    }
    expect(handle).not.toHaveBeenCalled()
  })

  it('for unknown events get the name and the payload', async () => {
    const seen: unknown[] = []
    const receiver = receive().onUnknown(({ name, raw }) => seen.push([name, raw]))
    const raw = { event: 'CALL_TRANSFERRED', to: '1' }
    await receiver.handle(await signedRequest(raw))
    expect(seen).toEqual([['CALL_TRANSFERRED', raw]])
  })

  it('get the delivery, the attempt, the raw body, the headers and how the event was recognized', async () => {
    const contexts: DeliveryContext[] = []
    const now = 1_800_000_000_000
    const verify = standardWebhooks({ secrets: [secret], now: () => now })
    const receiver = receive({ verify, now: () => now }).onAny((_, context) => contexts.push(context))
    const { event: eventType, ...rest } = joined
    await receiver.handle(
      await signedRequest({ eventType, ...rest }, { id: 'msg_1', timestamp: 1_799_999_999 }),
    )
    const [context] = contexts
    expect(context).toMatchObject({
      delivery: { id: 'msg_1', identity: 'id' },
      attempt: { at: new Date(1_799_999_999_000), receivedAt: new Date(now) },
      recognizedBy: 'eventType',
    })
    expect(new TextDecoder().decode(context?.rawBody)).toBe(JSON.stringify({ eventType, ...rest }))
    expect(context?.headers.get('webhook-id')).toBe('msg_1')
    expect(context?.signal.aborted).toBe(false)
  })

  it('that exceed their time limit fail, and their signal aborts', async () => {
    const errors: unknown[] = []
    let reason: unknown
    const receiver = receive({ handlerTimeoutMs: 10 })
      .on('GROUP_PARTICIPANT_JOINED', async (_, { signal }) => {
        await new Promise((resolve) => signal.addEventListener('abort', resolve))
        reason = signal.reason
        await new Promise(() => {})
      })
      .onError((error) => errors.push(error))
    expect((await receiver.handle(await signedRequest(joined))).status).toBe(500)
    expect(errors).toEqual([expect.any(WebhookHandlerTimeoutError)])
    expect(reason).toBeInstanceOf(WebhookHandlerTimeoutError)
  })

  it.each(['on', 'onAny', 'subscribe'] as const)(
    'that %s registers may have their own time limit',
    async (method) => {
      const slow = () => new Promise((resolve) => setTimeout(resolve, 40))
      const receiver = receive({ handlerTimeoutMs: 5 })
      if (method === 'onAny') receiver.onAny(slow, { timeoutMs: 5_000 })
      else receiver[method]('GROUP_PARTICIPANT_JOINED', slow, { timeoutMs: 5_000 })
      expect((await receiver.handle(await signedRequest(joined))).status).toBe(200)
    },
  )

  it('see the sender hang up', async () => {
    const hangUp = new AbortController()
    const receiver = receive().onAny(async (_, { signal }) => {
      queueMicrotask(() => hangUp.abort())
      await new Promise((resolve) => signal.addEventListener('abort', resolve))
    })
    const request = new Request(await signedRequest(joined), { signal: hangUp.signal })
    expect((await receiver.handle(request)).status).toBe(200)
  })
})

it('a delivery that arrives while stop() waits is acknowledged after it is handled', async () => {
  const gates = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  let started = 0
  const receiver = receive({ ack: 'before', waitUntil: () => {} }).onAny(async () => {
    started += 1
    await gates[started - 1]?.promise
  })
  expect((await receiver.handle(await signedRequest(joined))).status).toBe(200)
  const stopped = receiver.stop()
  let isAcknowledged = false
  const late = signedRequest(joined).then(async (request) => {
    await receiver.handle(request)
    isAcknowledged = true
  })
  await expect.poll(() => started).toBe(2)
  await setImmediate()
  expect(isAcknowledged).toBe(false)
  for (const { resolve } of gates) resolve()
  await Promise.all([stopped, late])
})

describe('errors', () => {
  it('go to every onError listener with their stage, even if one of them fails', async () => {
    const failures: [string, Failure][] = []
    const log = vi.spyOn(console, 'error').mockImplementation(() => {})
    const receiver = receive()
      .onError(() => {
        throw new Error('listener')
      })
      .onError((error, failure) => failures.push([Object(error).message, failure]))
      .onAny(() => Promise.reject(new Error('handler')))
    await receiver.handle(await signedRequest(joined, { id: 'msg_1' }))
    await receiver.handle(new Request('http://localhost'))
    expect(failures).toMatchObject([
      ['handler', { stage: 'handler', context: { delivery: { id: 'msg_1' } } }],
      [expect.stringContaining('must be a POST. Register'), { stage: 'request', context: undefined }],
    ])
    const line = 'An onError() listener failed.'
    expect(log.mock.calls).toEqual(Array.from({ length: 2 }, () => [line, new Error('listener')]))
    log.mockRestore()
  })

  it('of handlers are logged without a listener', async () => {
    const log = vi.spyOn(console, 'error').mockImplementation(() => {})
    const receiver = createReceiver({ verify: standardWebhooks({ secrets: [secret] }) })
    const failing = receiver.onAny(() => Promise.reject(new Error('handler')))
    await failing.handle(await signedRequest(joined))
    expect(log.mock.calls).toEqual([[expect.stringContaining('onError()'), new Error('handler')]])
    log.mockRestore()
  })

  it.each([-3_600_000, -60_000, 3_600_000])(
    'of rejected requests are logged once a minute, also when the clock is set by %i ms',
    async (step) => {
      const warnings = vi.spyOn(console, 'warn').mockImplementation(() => {})
      onTestFinished(() => warnings.mockRestore())
      let at = Date.now()
      const receiver = createReceiver({ verify: () => false, now: () => at })
      const countLines = async () => {
        const response = await receiver.handle(await signedRequest(joined))
        expect(response.status).toBe(401)
        return warnings.mock.calls.length
      }
      expect([await countLines(), await countLines()]).toEqual([1, 1])
      at += step
      expect([await countLines(), await countLines()]).toEqual([2, 2])
      expect(warnings.mock.lastCall).toEqual([expect.stringMatching(/^2 webhooks were rejected/)])
      at += 59_999
      expect(await countLines()).toBe(2)
      at += 1
      expect(await countLines()).toBe(3)
    },
  )

  it('are recognized by more than their name', async () => {
    for (const error of [null, 'WebhookParseError', new Error('x'), { name: 'WebhookParseError' }]) {
      expect(isWebhookParseError(error)).toBe(false)
    }
    const verify = () => Promise.reject({ name: 'WebhookRequestError', code: 'x', status: 200 })
    expect((await receive({ verify }).handle(await signedRequest(joined))).status).toBe(401)
  })
})

describe('acknowledging before handling', () => {
  it('responds first, works in waitUntil, and calls it as a method', async () => {
    const steps: string[] = []
    const { promise, resolve } = Promise.withResolvers<void>()
    const receiver = receive({ ack: 'before' }).onAny(async () => {
      await promise
      steps.push('handled')
    })
    class Host {
      readonly work: Promise<unknown>[] = []
      waitUntil(work: Promise<unknown>) {
        this.work.push(work)
      }
    }
    const host = new Host()
    const response = await receiver.handle(await signedRequest(joined), host)
    expect([response.status, steps]).toEqual([200, []])
    resolve()
    await Promise.all(host.work)
    expect(steps).toEqual(['handled'])
  })

  it('uses the waitUntil option and that of the host', async () => {
    const work: Promise<unknown>[] = []
    const host = { waitUntil: vi.fn() }
    const receiver = receive({ ack: 'before', waitUntil: (promise) => work.push(promise) }).onAny(() => {})
    expect((await receiver.handle(await signedRequest(joined), host)).status).toBe(200)
    expect(host.waitUntil.mock.calls).toEqual([work])
    expect(work).toHaveLength(1)
  })

  it('warns once where nothing keeps the host running, and not where something does', async () => {
    const warnings = vi.spyOn(console, 'warn').mockImplementation(() => {})
    onTestFinished(() => warnings.mockRestore())
    const send = async (receiver: Receiver, host?: object) =>
      expect((await receiver.onAny(() => {}).handle(await signedRequest(joined), host)).status).toBe(200)

    await send(receive())
    await send(receive({ ack: 'before' }), { waitUntil() {} })
    await send(receive({ ack: 'before', waitUntil: () => {} }))
    expect(warnings).not.toHaveBeenCalled()

    const warning = receive({ ack: 'before' })
    await send(warning)
    await send(warning, {})
    expect(warnings.mock.calls).toEqual([[expect.stringContaining('Pass waitUntil'), expect.any(Error)]])

    const outside = new Error('after() was called outside a request')
    const throwing = receive({
      ack: 'before',
      waitUntil: () => {
        throw outside
      },
    })
    for (let count = 0; count < 2; count += 1) await send(throwing)
    expect(warnings.mock.calls.slice(1)).toEqual([[expect.stringContaining('Pass waitUntil'), outside]])
  })

  it('works without a host, and reports failures only to onError', async () => {
    const warnings = vi.spyOn(console, 'warn').mockImplementation(() => {})
    onTestFinished(() => warnings.mockRestore())
    const failed = Promise.withResolvers<unknown>()
    const receiver = receive({ ack: 'before' })
      .onAny(() => Promise.reject(new Error('late')))
      .onError((error) => failed.resolve(error))
    for (const host of [undefined, {}, { waitUntil: 'no function' }]) {
      expect((await receiver.handle(await signedRequest(joined), host)).status).toBe(200)
    }
    expect(await failed.promise).toMatchObject({ message: 'late' })
  })

  it('continues after the sender has hung up', async () => {
    const hangUp = new AbortController()
    let aborted: boolean | undefined
    const receiver = receive({ ack: 'before' }).onAny((_, { signal }) => {
      hangUp.abort()
      aborted = signal.aborted
    })
    await receiver.handle(new Request(await signedRequest(joined), { signal: hangUp.signal }))
    expect(aborted).toBe(false)
  })
})

describe('stopping', () => {
  const start = () => {
    const handling = Promise.withResolvers<void>()
    const steps: string[] = []
    const receiver = receive({ ack: 'before', waitUntil: () => {} }).onAny(async (_, { signal }) => {
      signal.addEventListener('abort', () => steps.push(String(signal.reason)))
      await handling.promise
      steps.push('handled')
    })
    return { receiver, steps, finish: handling.resolve }
  }

  it('waits for the handlers of deliveries that were acknowledged', async () => {
    const { receiver, steps, finish } = start()
    await receiver.handle(await signedRequest(joined))
    const stopped = receiver.stop().then(() => steps.push('stopped'))
    await setImmediate()
    expect(steps).toEqual([])
    finish()
    await stopped
    expect(steps).toEqual(['handled', 'stopped'])
  })

  it('acknowledges a delivery that it was verifying after its handlers have finished', async () => {
    const [verified, handling] = [Promise.withResolvers<boolean>(), Promise.withResolvers<void>()]
    const steps: string[] = []
    const receiver = receive({ ack: 'before', waitUntil: () => {}, verify: () => verified.promise }).onAny(
      async () => {
        await handling.promise
        steps.push('handled')
      },
    )
    const response = receiver.handle(await signedRequest(joined)).then(() => steps.push('acknowledged'))
    await receiver.stop()
    verified.resolve(true)
    for (let turn = 0; turn < 10; turn += 1) await setImmediate()
    expect(steps).toEqual([])
    handling.resolve()
    await response
    expect(steps).toEqual(['handled', 'acknowledged'])
  })

  it('waits at most maxMs, and then aborts the signal', async () => {
    const { receiver, steps } = start()
    await receiver.handle(await signedRequest(joined))
    await receiver.stop({ maxMs: 1 })
    expect(steps).toEqual(['Error: stop() waited 1 ms.'])
    const stopping = receiver.stop({ maxMs: 0 })
    await expect(stopping).rejects.toThrow(RangeError)
    await expect(stopping).rejects.toThrow('maxMs must be above 0')
  })

  it('does not wait for a delivery whose sender still waits', async () => {
    const [started, handling] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const receiver = receive().onAny(() => {
      started.resolve()
      return handling.promise
    })
    const response = receiver.handle(await signedRequest(joined))
    await started.promise
    await receiver.stop({ maxMs: 1 })
    handling.resolve()
    expect((await response).status).toBe(200)
  })

  it('waits for nothing if nothing is running', async () => {
    await receive().stop()
    await receive({ ack: 'before' }).stop()
  })
})

it('has no time limit that is longer than a timer can be', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  for (const longest of [Number.POSITIVE_INFINITY, 2 ** 31]) {
    const [body, handling] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const steps: string[] = []
    const limits = { handlerTimeoutMs: longest, bodyTimeoutMs: longest }
    const receiver = receive({ ...limits, ack: 'before', waitUntil: () => {} }).onAny(
      async (_, { signal }) => {
        await handling.promise
        steps.push(signal.aborted ? 'aborted' : 'handled')
      },
    )
    const request = await signedRequest(joined)
    const bytes = new Uint8Array(await request.arrayBuffer())
    const slow = new ReadableStream({
      pull: async (controller) => {
        await body.promise
        controller.enqueue(bytes)
        controller.close()
      },
    })
    const streamed: RequestInit & { duplex: 'half' } = { method: 'POST', body: slow, duplex: 'half' }
    const response = receiver.handle(new Request(request.url, { ...streamed, headers: request.headers }))
    await vi.advanceTimersByTimeAsync(60_000)
    body.resolve()
    expect((await response).status).toBe(200)
    const stopping = receiver.stop({ maxMs: longest }).then(() => steps.push('stopped'))
    await vi.advanceTimersByTimeAsync(60_000)
    handling.resolve()
    await stopping
    expect(steps).toEqual(['handled', 'stopped'])
  }
})

it('leaves no timer behind, whatever the outcome of a delivery', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] })
  onTestFinished(() => void vi.useRealTimers())
  let fails = false
  const receiver = receive({ handlerTimeoutMs: 60_000, dedupe: memoryDedupe(), maxBodyBytes: 1_000 }).onAny(
    () => {
      if (fails) throw new Error('crash')
    },
  )
  const large = { event: 'X', pad: 'p'.repeat(2_000) }
  expect((await receiver.handle(await signedRequest(joined))).status).toBe(200)
  expect((await receiver.handle(await signedRequest(large))).status).toBe(413)
  const { body, headers } = await signed(joined)
  const slow = async function* () {
    await setImmediate()
    yield new TextEncoder().encode(body)
  }
  const init = { method: 'POST', body: slow(), headers, duplex: 'half' } as unknown as RequestInit
  expect((await receiver.handle(new Request('http://localhost', init))).status).toBe(200)
  fails = true
  expect((await receiver.handle(await signedRequest(joined))).status).toBe(500)
  expect(vi.getTimerCount()).toBe(0)
})

it('has a handle function that works without its receiver', async () => {
  const { handle } = receive()
  expect((await handle(await signedRequest(joined))).status).toBe(200)
})

it.each(['maxBodyBytes', 'bodyTimeoutMs', 'handlerTimeoutMs', 'claimTtlMs'])(
  'rejects a %s that is not above 0',
  (name) => {
    for (const value of [0, -1, Number.NaN]) {
      expect(() => receive({ [name]: value })).toThrow(RangeError)
      expect(() => receive({ [name]: value })).toThrow(`${name} must be above 0, not ${value}`)
      expect(() => receive().onAny(() => {}, { timeoutMs: value })).toThrow(RangeError)
    }
  },
)
