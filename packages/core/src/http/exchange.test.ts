import { describe, expect, it } from 'vitest'
import { type ApiRequest, readJson } from './exchange.ts'
import { toApiRequest } from './fetch.ts'

const request = (body: ReadableStream<Uint8Array>, headers: Record<string, string> = {}): ApiRequest => {
  const init: RequestInit & { duplex: 'half' } = {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body,
    duplex: 'half',
  }
  return toApiRequest(new Request('https://api.example.com/', init))
}

const inPieces = (bytes: Uint8Array, size: number): ReadableStream<Uint8Array> => {
  let at = 0
  return new ReadableStream({
    pull: (controller) => {
      if (at >= bytes.length) return controller.close()
      controller.enqueue(bytes.slice(at, at + size))
      at += size
    },
  })
}

/** A body that is far too long, but not endless: a reader that continues past the limit reaches its error. */
const farTooLong = (cancel: () => void | Promise<void>): ReadableStream<Uint8Array> => {
  let pieces = 0
  return new ReadableStream({
    pull: (controller) => {
      if (++pieces > 20) controller.error(new Error('read too far'))
      else controller.enqueue(new Uint8Array(10_000).fill(32))
    },
    cancel,
  })
}

describe('readJson', () => {
  it('refuses a declared length over the limit before it reads', async () => {
    let pulled = 0
    const pull = (controller: ReadableStreamDefaultController) => {
      pulled++
      controller.close()
    }
    const body = new ReadableStream<Uint8Array>({ pull }, { highWaterMark: 0 })
    await expect(readJson(request(body, { 'content-length': '65537' }))).rejects.toMatchObject({
      code: 'body_too_large',
    })
    expect(pulled).toBe(0)
  })

  it('stops reading a body without a declared length at the limit', async () => {
    let isCancelled = false
    const body = farTooLong(() => {
      isCancelled = true
    })
    await expect(readJson(request(body))).rejects.toMatchObject({ code: 'body_too_large' })
    expect(isCancelled).toBe(true)
  })

  it('does not wait for a sender that ignores the refusal', async () => {
    const body = farTooLong(() => new Promise(() => {}))
    await expect(readJson(request(body))).rejects.toMatchObject({ code: 'body_too_large' })
  })

  it('trusts the bytes that it reads, not a declared length that is too small', async () => {
    const body = inPieces(new Uint8Array(65_537).fill(32), 30_000)
    await expect(readJson(request(body, { 'content-length': '5' }))).rejects.toMatchObject({
      code: 'body_too_large',
    })
  })

  it('joins characters that arrive in pieces', async () => {
    const body = inPieces(new TextEncoder().encode('"é🎉"'), 1)
    await expect(readJson(request(body))).resolves.toBe('é🎉')
  })

  it('treats a body that is cut off as malformed', async () => {
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => controller.enqueue(new TextEncoder().encode('{"a"')),
      pull: (controller) => controller.error(new Error('connection reset')),
    })
    await expect(readJson(request(body))).rejects.toMatchObject({ code: 'malformed_json' })
  })

  it('treats a request without a body as malformed', async () => {
    const headers = { 'content-type': 'application/json' }
    const empty = new Request('https://api.example.com/', { method: 'POST', headers })
    await expect(readJson(toApiRequest(empty))).rejects.toMatchObject({ code: 'malformed_json' })
  })
})
