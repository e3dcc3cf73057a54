import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { type ReceivedWebhook, readWebhook } from './received-webhook.ts'

/** A response to a webhook, other than 204. */
export type PlannedResponse = {
  /** 0 closes the connection without a response. */
  readonly status: number
  readonly location?: string
  /** The `Retry-After` header, in seconds. */
  readonly retryAfter?: number
}

type Plan = {
  readonly response: PlannedResponse
  /** Set if only the first matching webhook gets the response. */
  readonly once?: boolean
  matches(webhook: Omit<ReceivedWebhook, 'status'>): boolean
}

export type Listener = Awaited<ReturnType<typeof listen>>

/** Starts a server that receives webhooks on `host:port`. Port 0 chooses a free port. */
export const listen = async (address: string) => {
  /** Every webhook so far, oldest first. */
  const webhooks: ReceivedWebhook[] = []
  const plans: Plan[] = []
  const listeners = new Set<(webhook: ReceivedWebhook) => void>()

  const receive = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const arrived = await readWebhook(request)
    const plan = plans.find(({ matches }) => matches(arrived))
    if (plan?.once) plans.splice(plans.indexOf(plan), 1)
    const { status = 204, location, retryAfter } = plan?.response ?? {}
    const webhook = { ...arrived, status }
    webhooks.push(webhook)
    if (status === 0) response.destroy()
    if (location !== undefined) response.setHeader('location', location)
    if (retryAfter !== undefined) response.setHeader('retry-after', retryAfter)
    if (status !== 0) response.writeHead(status).end()
    for (const listener of [...listeners]) listener(webhook)
  }

  const server = createServer((request, response) => {
    receive(request, response).catch(() => response.destroy())
  })
  const [, host = '127.0.0.1', port = '0'] = /^(.*):(\d+)$/.exec(address) ?? []
  server.listen(Number(port), host.replace(/^\[|\]$/g, ''))
  await once(server, 'listening')
  const bound = server.address()
  const boundPort = typeof bound === 'object' && bound !== null ? bound.port : port

  const subscribe = (listener: (webhook: ReceivedWebhook) => void) => {
    listeners.add(listener)
    return (): void => {
      listeners.delete(listener)
    }
  }
  /** Resolves to the first matching webhook, past or future, or `undefined` if none arrives in time. */
  const waitFor = async (
    matches: (webhook: ReceivedWebhook) => boolean,
    timeoutMs: number,
  ): Promise<ReceivedWebhook | undefined> => {
    const present = webhooks.find(matches)
    if (present !== undefined) return present
    const { promise, resolve } = Promise.withResolvers<ReceivedWebhook | undefined>()
    const timer = setTimeout(resolve, timeoutMs)
    const unsubscribe = subscribe((webhook) => {
      if (matches(webhook)) resolve(webhook)
    })
    return promise.finally(() => {
      clearTimeout(timer)
      unsubscribe()
    })
  }
  return {
    /** The URL of the server, without a trailing slash. */
    url: `http://${host}:${boundPort}`,
    webhooks,
    /** Plans a response to matching webhooks. */
    plan: (plan: Plan): void => {
      plans.push(plan)
    },
    subscribe,
    waitFor,
    close: async (): Promise<void> => {
      const closed = once(server, 'close')
      server.close()
      server.closeAllConnections()
      await closed
    },
  }
}
