import {
  basicAuth,
  bearerAuth,
  createReceiver,
  generateSecret,
  standardWebhooks,
  staticHeader,
  type Verifier,
} from '@wabakit/webhooks'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { joined, secret, signedRequest } from './signed.ts'

const quiet = (verify: Verifier) => {
  const errors: unknown[] = []
  return { errors, receiver: createReceiver({ verify }).onError((error) => errors.push(error)) }
}

describe.each(['sync', 'async'])('secrets from a function, %s', (kind) => {
  const wrap = (read: () => readonly string[]) => (kind === 'sync' ? read : async () => read())

  it('are read for the first request, not when the receiver is created, and kept', async () => {
    const read = vi.fn(() => [secret])
    const headers = { 'x-token': secret, authorization: `Basic ${btoa(`u:${secret}`)}` }
    for (const verify of [
      standardWebhooks({ secrets: wrap(read) }),
      staticHeader({ header: 'x-token', value: wrap(read) }),
      basicAuth({ username: 'u', password: wrap(read) }),
    ]) {
      read.mockClear()
      const { receiver } = quiet(verify)
      expect(read).not.toHaveBeenCalled()
      for (let count = 0; count < 2; count += 1)
        expect((await receiver.handle(await signedRequest(joined, { headers }))).status).toBe(200)
      expect(read).toHaveBeenCalledTimes(1)
    }
  })

  it('are kept for a minute, so that a rotation needs no restart', async () => {
    let at = Date.now()
    let secrets = [secret]
    const read = vi.fn(() => secrets)
    const { receiver } = quiet(standardWebhooks({ secrets: wrap(read), now: () => at }))
    for (let count = 0; count < 3; count += 1) await receiver.handle(await signedRequest(joined))
    expect(read).toHaveBeenCalledTimes(1)
    const next = generateSecret()
    secrets = [next]
    at += 60_000
    expect((await receiver.handle(await signedRequest(joined, { secret: next }))).status).toBe(200)
    expect((await receiver.handle(await signedRequest(joined))).status).toBe(401)
    expect(read).toHaveBeenCalledTimes(2)
  })

  it("are kept for a minute of the receiver's clock, so that a test can rotate them", async () => {
    let at = 0
    const read = vi.fn(() => [secret])
    const verifiers = [
      standardWebhooks({ secrets: wrap(read) }),
      staticHeader({ header: 'x-token', value: wrap(read) }),
      basicAuth({ username: 'u', password: wrap(read) }),
    ]
    const headers = { 'x-token': secret, authorization: `Basic ${btoa(`u:${secret}`)}` }
    for (const verify of verifiers) {
      read.mockClear()
      const receiver = createReceiver({ verify, now: () => at })
      const send = async () =>
        expect((await receiver.handle(await signedRequest(joined, { headers }))).status).toBe(200)
      await send()
      at += 59_999
      await send()
      const before = read.mock.calls.length
      at += 1
      await send()
      expect([before, read.mock.calls.length]).toEqual([1, 2])
      // A clock that is set back does not keep them for longer.
      at -= 3_600_000
      await send()
      expect(read).toHaveBeenCalledTimes(3)
    }
  })

  it('that are missing get a 503 without details, until they are set', async () => {
    let secrets: readonly string[] = ['whsec_short']
    let at = Date.now()
    const verify = standardWebhooks({ secrets: wrap(() => secrets), now: () => at })
    const { receiver, errors } = quiet(verify)
    const response = await receiver.handle(await signedRequest(joined))
    expect([response.status, response.headers.get('retry-after')]).toEqual([503, '5'])
    expect(await response.json()).toEqual({
      code: 'invalid_secret',
      message: 'The receiver has no valid secret.',
    })
    expect(errors).toMatchObject([
      { reason: 'invalid_secret', message: expect.stringContaining('not base64') },
    ])
    secrets = [secret]
    at += 1_000
    expect((await receiver.handle(await signedRequest(joined))).status).toBe(200)
  })

  it('that cannot be read get a 503, and onError gets the cause', async () => {
    const cause = new Error('vault sealed')
    const read = () => {
      throw cause
    }
    const { receiver, errors } = quiet(standardWebhooks({ secrets: wrap(read) }))
    expect((await receiver.handle(await signedRequest(joined))).status).toBe(503)
    expect(errors).toMatchObject([
      { reason: 'invalid_secret', message: expect.stringContaining('function'), cause },
    ])
  })

  it('that never arrive get a 503 within ten seconds', async () => {
    const request = await signedRequest(joined)
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    onTestFinished(() => void vi.useRealTimers())
    const verify = standardWebhooks({ secrets: () => new Promise<never>(() => {}) })
    let status: number | undefined
    void createReceiver({ verify })
      .onError(() => {})
      .handle(request)
      .then((response) => {
        status = response.status
      })
    await vi.advanceTimersByTimeAsync(10_000)
    expect(status).toBe(503)
  })

  it('are read once for any number of concurrent requests, also while that fails', async () => {
    // Time stands still, so a request that waited for a call that has ended would wait forever.
    vi.useFakeTimers({ toFake: ['Date'] })
    onTestFinished(() => void vi.useRealTimers())
    let at = 0
    let result: () => readonly string[] = () => [secret]
    const read = vi.fn(async () => {
      await new Promise((resolve) => setTimeout(resolve, 20))
      return result()
    })
    const verify = bearerAuth({ token: kind === 'async' ? read : () => read().then((value) => value) })
    const receiver = createReceiver({ verify, now: () => at }).onError(() => {})
    const sendMany = async () => {
      const headers = { authorization: `Bearer ${secret}` }
      const requests = await Promise.all(
        Array.from({ length: 100 }, () => signedRequest(joined, { headers })),
      )
      const responses = await Promise.all(requests.map((request) => receiver.handle(request)))
      return [...new Set(responses.map(({ status }) => status)), read.mock.calls.length]
    }
    expect(await sendMany()).toEqual([200, 1])
    at += 60_000
    result = () => {
      throw new Error('throttled')
    }
    expect(await sendMany()).toEqual([503, 2])
    expect(await sendMany()).toEqual([503, 2])
    at += 1_000
    result = () => [secret]
    expect(await sendMany()).toEqual([200, 3])
  })

  it('are not read for a request without signature headers', async () => {
    const read = vi.fn(() => [secret])
    const { receiver } = quiet(standardWebhooks({ secrets: wrap(read) }))
    const request = new Request('http://localhost', { method: 'POST', body: '{}' })
    expect((await receiver.handle(request)).status).toBe(401)
    expect(read).not.toHaveBeenCalled()
  })

  it('may be those of staticHeader, bearerAuth and basicAuth', async () => {
    const token = quiet(staticHeader({ header: 'x-token', value: wrap(() => ['new', 'old']) })).receiver
    const basic = quiet(basicAuth({ username: 'u', password: wrap(() => ['p']) })).receiver
    const bearer = quiet(bearerAuth({ token: wrap(() => ['new', 'old']) })).receiver
    const send = async (receiver: typeof token, headers: Record<string, string>) =>
      (await receiver.handle(await signedRequest(joined, { headers }))).status
    expect(await send(token, { 'x-token': 'old' })).toBe(200)
    expect(await send(token, { 'x-token': 'older' })).toBe(401)
    expect(await send(bearer, { authorization: 'Bearer old' })).toBe(200)
    expect(await send(bearer, { authorization: 'Bearer older' })).toBe(401)
    expect(await send(basic, { authorization: `Basic ${btoa('u:p')}` })).toBe(200)
    expect(await send(basic, { authorization: `Basic ${btoa('u:q')}` })).toBe(401)
    const empty = quiet(staticHeader({ header: 'x-token', value: wrap(() => ['']) })).receiver
    expect(await send(empty, { 'x-token': '' })).toBe(503)
    expect(await send(empty, { 'x-token': 'x' })).toBe(503)
  })
})

it.each([
  ['right', 200],
  ['wrong', 401],
])('reads the body while a secret is fetched, and then compares it: %s', async (token, status) => {
  const fetched = Promise.withResolvers<string>()
  const { receiver } = quiet(staticHeader({ header: 'x-token', value: () => fetched.promise }))
  let wasRead = false
  const onEnd = new TransformStream({
    flush: () => {
      wasRead = true
    },
  })
  const request = new Request('http://localhost', {
    ...{
      method: 'POST',
      body: new Response(JSON.stringify(joined)).body?.pipeThrough(onEnd),
      duplex: 'half',
    },
    headers: { 'content-type': 'application/json', 'x-token': token },
  } as RequestInit)
  const handling = receiver.onAny(() => {}).handle(request)
  await expect.poll(() => wasRead).toBe(true)
  fetched.resolve('right')
  expect((await handling).status).toBe(status)
})
