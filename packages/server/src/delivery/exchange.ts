import type { Dispatcher } from 'undici'

/** A webhook to send. */
export type OutgoingWebhook = {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  /** Ends the attempt. */
  readonly signal?: AbortSignal | undefined
  /** Longest time for everything: connecting, sending and the whole answer; in milliseconds. */
  readonly timeoutMs: number
}

/** What an endpoint answered. */
export type WebhookAnswer = {
  readonly status: number
  /** The `Retry-After` header as it came. */
  readonly retryAfter: string | null
  /** The beginning of the body: well-formed text without NUL. */
  readonly body: string
}

/** Bytes of an answer that are read; the rest is not waited for, and the connection is closed. */
const answerMaxBytes = 65_536

/** Characters of an answer that are kept. */
const keptCharacters = 4_096

const single = (value: string | string[] | undefined): string | undefined =>
  Array.isArray(value) ? value[0] : value

/** What can be kept of a body. A compressed one is not unpacked: it was not asked for, and may be a bomb. */
const toText = (chunks: readonly Buffer[], encoding: string | undefined): string => {
  if (encoding !== undefined && encoding.toLowerCase() !== 'identity') return `(${encoding}, not decoded)`
  return Buffer.concat(chunks)
    .toString('utf8')
    .slice(0, keptCharacters)
    .replaceAll('\0', '\ufffd')
    .toWellFormed()
}

/**
 * Sends one webhook and resolves with the answer, whatever its status; redirects are not followed.
 *
 * Rejects when there is no complete answer in time, or none at all. An answer longer than 64 KiB counts by its
 * status.
 */
export const exchange = (dispatcher: Dispatcher, webhook: OutgoingWebhook): Promise<WebhookAnswer> =>
  new Promise((resolve, reject) => {
    const { origin, pathname, search } = new URL(webhook.url)
    let controller: Dispatcher.DispatchController | undefined
    let failure: Error | undefined
    let answer: Omit<WebhookAnswer, 'body'> = { status: 0, retryAfter: null }
    let encoding: string | undefined
    let bytes = 0
    const chunks: Buffer[] = []

    const end = (): void => {
      clearTimeout(timer)
      webhook.signal?.removeEventListener('abort', onAbort)
    }
    const fail = (error: Error): void => {
      end()
      reject(error)
    }
    const giveUp = (error: Error): void => {
      failure = error
      // Not started yet (no connection): onRequestStart ends it as soon as it would start.
      controller?.abort(error)
      fail(error)
    }
    const onAbort = (): void => giveUp(new Error('given up: the server is stopping'))
    const timer = setTimeout(
      () => giveUp(new Error(`no complete answer within ${webhook.timeoutMs} ms`)),
      webhook.timeoutMs,
    )
    const succeed = (): void => {
      end()
      resolve({ ...answer, body: toText(chunks, encoding) })
    }
    webhook.signal?.addEventListener('abort', onAbort)
    if (webhook.signal?.aborted === true) return onAbort()

    dispatcher.dispatch(
      {
        origin,
        path: pathname + search,
        method: 'POST',
        headers: webhook.headers,
        body: webhook.body,
        headersTimeout: 0,
        bodyTimeout: 0,
      },
      {
        onRequestStart: (started) => {
          controller = started
          if (failure !== undefined) started.abort(failure)
        },
        onResponseStart: (_controller, status, headers) => {
          answer = { status, retryAfter: single(headers['retry-after']) ?? null }
          encoding = single(headers['content-encoding'])
        },
        onResponseData: (started, chunk) => {
          bytes += chunk.length
          if (bytes <= answerMaxBytes) chunks.push(chunk)
          if (bytes < answerMaxBytes) return
          succeed()
          started.abort(new Error('the answer is too long'))
        },
        onResponseEnd: succeed,
        onResponseError: (_controller, error) => fail(error),
      },
    )
  })
