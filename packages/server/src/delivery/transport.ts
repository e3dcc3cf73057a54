import type { LookupFunction } from 'node:net'
import type { DeliveryRequest, DeliveryResponse } from '@wabakit/core'
import { type ByteCollector, createByteCollector } from '@wabakit/wire'
import type { Agent, Dispatcher } from 'undici'
import manifest from '../../package.json' with { type: 'json' }
import type { TargetPolicy } from './target-policy.ts'

export const userAgent = `wabakit/${manifest.version}`

/** A webhook to send. If its signal aborts the attempt, the attempt fails with the signal's reason. */
type OutgoingWebhook = Pick<DeliveryRequest, 'headers' | 'body' | 'signal'> & { readonly url: string }

/** A response with only `Retry-After` of its headers, and the first 64 KiB of its body. */
type WebhookResponse = DeliveryResponse & { readonly body: string }

/** Maximum length of a response body, in bytes. The connection is closed once they have been read. */
const responseMaxBytes = 65_536

const getFirst = (value: string | string[] | undefined): string | undefined =>
  Array.isArray(value) ? value[0] : value

/** Decodes a body. Does not decompress it: compression was not requested, and the body may be a decompression bomb. */
const toText = (bytes: ByteCollector, encoding: string | undefined): string => {
  if (bytes.length === 0) return ''
  if (encoding !== undefined && encoding.toLowerCase() !== 'identity') return `(${encoding}, not decoded)`
  return Buffer.from(bytes.toBytes().buffer).toString('utf8')
}

/** Parsed subscription URLs, cached because each is used many times. */
const targets = new Map<string, { readonly origin: string; readonly path: string }>()
const maxTargets = 1_000

const parseUrl = (url: string) => {
  const known = targets.get(url)
  if (known !== undefined) return known
  const { origin, pathname, search } = new URL(url)
  const target = { origin, path: pathname + search }
  if (targets.size >= maxTargets) targets.clear()
  targets.set(url, target)
  return target
}

/**
 * Sends a webhook and resolves to the response, whatever its status. Does not follow redirects. Reads only the first 64
 * KiB of the body.
 *
 * @throws the reason of the signal, or an Error when there is no complete response.
 */
const sendWebhook = (
  dispatcher: Dispatcher,
  { url, headers, body, signal }: OutgoingWebhook,
): Promise<WebhookResponse> =>
  new Promise((resolve, reject) => {
    const { origin, path } = parseUrl(url)
    let controller: Dispatcher.DispatchController | undefined
    let status = 0
    let retryAfter: string | null = null
    let encoding: string | undefined
    const bytes = createByteCollector()

    const abort = (): void => {
      reject(signal.reason)
      // A request has no controller until it starts. If it has not started yet, `onRequestStart` aborts it.
      controller?.abort(signal.reason)
    }
    const fail = (error: Error): void => {
      signal.removeEventListener('abort', abort)
      reject(error)
    }
    const succeed = (): void => {
      signal.removeEventListener('abort', abort)
      resolve({ status, headers: { get: () => retryAfter }, body: toText(bytes, encoding) })
    }
    if (signal.aborted) return abort()
    signal.addEventListener('abort', abort)

    dispatcher.dispatch(
      {
        origin,
        path,
        method: 'POST',
        headers: { 'user-agent': userAgent, ...headers },
        body,
        headersTimeout: 0,
        bodyTimeout: 0,
      },
      {
        onRequestStart: (started) => {
          controller = started
          if (signal.aborted) started.abort(signal.reason)
        },
        onResponseStart: (_controller, received, found) => {
          status = received
          retryAfter = getFirst(found['retry-after']) ?? null
          encoding = getFirst(found['content-encoding'])
        },
        onResponseData: (started, chunk) => {
          bytes.add(chunk.subarray(0, responseMaxBytes - bytes.length))
          if (bytes.length < responseMaxBytes) return
          succeed()
          started.abort(new Error('the response is too long'))
        },
        onResponseEnd: succeed,
        onResponseError: (_controller, error) => fail(error),
      },
    )
  })

export type TransportOptions = TargetPolicy & {
  /** Resolves host names, like `dns.lookup`. @default a resolver that blocks no thread */
  readonly lookup?: LookupFunction
}

/**
 * Creates a transport that sends webhooks over persistent connections. It loads its HTTP client with the first webhook
 * unless `load` is called earlier, because loading it would take a quarter of the server's start-up time.
 */
export const createTransport = ({ allowPrivateTargets, lookup }: TransportOptions) => {
  const closing = new AbortController()
  let opening: Promise<Agent> | undefined
  const open = async (): Promise<Agent> => {
    const [{ Agent }, { createGuardedConnector }, { resolver }] = await Promise.all([
      import('undici'),
      import('./guarded-connector.ts'),
      import('@wabakit/webhooks/names'),
    ])
    const connect = createGuardedConnector({
      allowPrivateTargets,
      lookup: lookup ?? resolver.createLookup(closing.signal),
    })
    return new Agent({ connect, allowH2: false, maxHeaderSize: 16_384 })
  }
  const load = (): Promise<Agent> => {
    opening ??= open().catch((error: unknown) => {
      // An update may be replacing the files right now, so the next attempt tries again.
      opening = undefined
      throw error
    })
    return opening
  }
  return {
    /** Loads the HTTP client. */
    load,
    /** Sends a webhook for the core. */
    fetch: async (url: string, request: Omit<OutgoingWebhook, 'url'>): Promise<WebhookResponse> =>
      sendWebhook(await load(), { url, ...request }),
    /** Closes all connections immediately. */
    close: async (): Promise<void> => {
      const agent = await opening?.catch(() => undefined)
      closing.abort(new Error('the server is closing'))
      await agent?.destroy()
    },
  }
}
