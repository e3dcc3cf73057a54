import { once } from 'node:events'
import { request, type Server } from 'node:http'
import type { WebhookEvent } from '@wabakit/contract'
import { createReceiver, type Receiver, standardWebhooks } from '@wabakit/webhooks'
import { expect, it, onTestFinished } from 'vitest'
import { openRequest, sendLargeBody } from '../../../server/test/refused-body.ts'
import { secret, signed, summary } from '../signed.ts'

/** Starts a framework with this receiver, and resolves to the address of its webhook. */
export type Start = (receiver: Receiver) => Promise<string>

/** Listens on a free port until the test ends. */
export const listen = async (server: Server, path = '/webhooks'): Promise<string> => {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('not listening')
  return `http://127.0.0.1:${address.port}${path}`
}

/** A receiver that records its events and errors. */
export const recording = (maxBodyBytes?: number) => {
  const events: WebhookEvent[] = []
  const errors: unknown[] = []
  const receiver = createReceiver({
    verify: standardWebhooks({ secrets: [secret] }),
    ...(maxBodyBytes !== undefined && { maxBodyBytes }),
  })
    .onAny((event) => events.push(event))
    .onError((error) => errors.push(error))
  return { receiver, events, errors }
}

/** Sends the chunks of `write`, however slowly, and resolves to the head of the response. */
export const sendRaw = async (
  url: string,
  headers: Record<string, string>,
  write: (chunk: () => boolean) => void,
) => {
  const outgoing = request(url, { method: 'POST', headers })
  const responded = Promise.withResolvers<{ status: number | undefined; connection: string | undefined }>()
  outgoing.on('response', (response) => {
    response.resume()
    responded.resolve({ status: response.statusCode, connection: response.headers.connection })
  })
  outgoing.on('error', (error) => responded.reject(error))
  outgoing.flushHeaders()
  write(() => outgoing.write('x'.repeat(16_384)))
  try {
    return await responded.promise
  } finally {
    outgoing.destroy()
  }
}

/** Receivers must pass these tests behind every server that streams bodies. */
export const frameworkCases = (start: Start): void => {
  it('receives a signed event with all its characters', async () => {
    const { receiver, events, errors } = recording()
    const response = await fetch(await start(receiver), await signed(summary))
    expect([response.status, await response.text(), errors]).toEqual([200, '', []])
    expect(events).toEqual([summary])
  })

  it('rejects a forged event, and explains why', async () => {
    const { receiver, events } = recording()
    const delivery = await signed(summary)
    const response = await fetch(await start(receiver), {
      ...delivery,
      body: delivery.body.replace('42', '43'),
    })
    expect(response.status).toBe(401)
    expect(response.headers.get('content-type')).toContain('application/json')
    expect(await response.json()).toMatchObject({ code: 'no_matching_signature' })
    expect(events).toEqual([])
  })

  it('rejects a request without signature headers before its body arrives', async () => {
    const url = await start(recording().receiver)
    const headers = { 'content-type': 'application/json', 'content-length': '1000' }
    expect(await sendRaw(url, headers, () => {})).toMatchObject({ status: 401 })
  })

  it('cuts off an endless body at the maximum and still responds', async () => {
    const { receiver, errors } = recording(50_000)
    const url = await start(receiver)
    const { headers } = await signed(summary)
    let timer: ReturnType<typeof setInterval> | undefined
    let chunks = 0
    const { status } = await sendRaw(url, { ...headers, 'transfer-encoding': 'chunked' }, (chunk) => {
      timer = setInterval(() => {
        chunks += 1
        chunk()
      }, 1)
    }).finally(() => clearInterval(timer))
    expect(status).toBe(413)
    expect(chunks).toBeLessThan(1_000)
    expect(errors).toMatchObject([{ code: 'body_too_large' }])
  })

  it('responds 413 to a body whose declared length is too large', async () => {
    const url = await start(recording(1_000).receiver)
    const delivery = await signed({ event: 'X', pad: 'p'.repeat(2_000) })
    expect((await fetch(url, delivery)).status).toBe(413)
  })

  it('responds on a connection that is reused', async () => {
    const { receiver, events } = recording()
    const url = await start(receiver)
    for (let count = 1; count <= 5; count += 1) {
      expect((await fetch(url, await signed(summary))).status).toBe(200)
      expect(events).toHaveLength(count)
    }
  })
}

/** Receivers must pass these tests where something has already read the body. */
export const parsedBodyCases = (start: Start): void => {
  it('detects that the body was parsed, and explains it', async () => {
    const { receiver, events, errors } = recording()
    const response = await fetch(await start(receiver), await signed(summary))
    expect(response.status).toBe(400)
    expect(await response.json()).toMatchObject({
      code: 'body_was_parsed',
      message: expect.stringContaining('before any body parser'),
    })
    expect(errors).toMatchObject([{ code: 'body_was_parsed' }])
    expect(events).toEqual([])
  })
}

/** The adapters must pass these tests. Elsewhere, the framework owns the socket. */
export const refusedBodyCases = (start: Start): void => {
  it('takes all of a large body that it refuses, so that a proxy in between gets the response', async () => {
    const url = await start(recording(1_000).receiver)
    expect(await sendLargeBody(url, [])).toEqual({ status: 401, error: undefined })
    const { headers } = await signed(summary)
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
    expect(await sendLargeBody(url, lines)).toEqual({ status: 413, error: undefined })
  })

  it('drops what arrives for two seconds, and then closes the connection', async () => {
    const url = await start(recording().receiver)
    const { socket } = openRequest(url, ['transfer-encoding: chunked'])
    let endedAt = 0
    socket.once('end', () => {
      endedAt = performance.now()
    })
    await once(socket, 'data')
    const respondedAt = performance.now()
    const sending = setInterval(() => socket.write('1\r\nx\r\n'), 10)
    await expect.poll(() => endedAt).toBeGreaterThan(0)
    clearInterval(sending)
    socket.destroy()
    expect(endedAt - respondedAt).toBeGreaterThan(1_500)
  })
}
