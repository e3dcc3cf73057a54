import { createServer, type IncomingHttpHeaders } from 'node:http'
import { expect, onTestFinished } from 'vitest'
import { type RunningServer, type ServerConfig, startServer } from '../src/index.ts'
import { deviation } from './conformance.ts'
import { listenOnFreePort } from './listen-on-free-port.ts'

/** The organization of the tests. */
export const acme = {
  id: 'acme',
  integrations: [{ wabaNumber: '+15550100001' }],
  pstnNumbers: ['+15550100002'],
  apiKeys: [{ key: 'wk_test_key_0123456789' }],
}

/** Starts a server in memory on a free port and closes it at the end of the test. */
export const start = async (
  config: Partial<ServerConfig> = {},
  options: Parameters<typeof startServer>[1] = {},
): Promise<RunningServer> => {
  const server = await startServer(
    { port: 0, database: ':memory:', logLevel: 'silent', organizations: [acme], ...config },
    options,
  )
  onTestFinished(server.close)
  return server
}

/** Creates a group through the public API. */
export const createGroup = (url: string, body: object = {}, headers: Record<string, string> = {}) =>
  fetch(`${url}/whatsapp/wa-group/create`, {
    method: 'POST',
    headers: { authorization: 'wk_test_key_0123456789', 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ wabaNumber: '+15550100001', subject: 'Team', ...body }),
  })

/** Calls the control API and checks its response against the OpenAPI document. */
export const control = async (
  { url }: Pick<RunningServer, 'url'>,
  request: string,
  body?: unknown,
  headers: Record<string, string> = {},
) => {
  const [method = '', path = ''] = request.split(' ')
  const response = await fetch(`${url}/_wabakit${path}`, {
    method,
    headers: { ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  })
  const text = await response.text()
  const answer = { status: response.status, body: text === '' ? undefined : JSON.parse(text) }
  if (path !== '/openapi.json') expect(deviation({ method, path }, answer)).toBeUndefined()
  return { ...answer, headers: response.headers }
}

/** A received webhook. */
export type Arrival = { readonly headers: IncomingHttpHeaders; readonly body: string }

/**
 * Starts a loopback endpoint that responds with a given status (default: 200), body and headers, and records requests.
 */
export const listenForWebhooks = async (
  answer: (arrival: Arrival) => number | { readonly status: number; readonly body: string } = () => 200,
  headers: Record<string, string> = {},
) => {
  const arrivals: Arrival[] = []
  const waiting = new Set<() => void>()
  let connections = 0
  // Closes no connection on its own during a test.
  const server = createServer({ keepAliveTimeout: 120_000 }, async (request, response) => {
    let body = ''
    for await (const chunk of request) body += chunk
    const arrival = { headers: request.headers, body }
    arrivals.push(arrival)
    const answered = answer(arrival)
    if (typeof answered === 'number') response.writeHead(answered, headers).end()
    else response.writeHead(answered.status, headers).end(answered.body)
    for (const check of waiting) check()
  })
  server.on('connection', (socket) => {
    connections++
    socket.once('close', () => connections--)
  })
  const origin = await listenOnFreePort(server)
  return {
    url: `${origin}/webhooks`,
    arrivals,
    countConnections: () => connections,
    /** Resolves when this number of webhooks has arrived. */
    arrived: (count: number): Promise<void> =>
      new Promise((resolve) => {
        const check = (): void => {
          if (arrivals.length < count) return
          waiting.delete(check)
          resolve()
        }
        waiting.add(check)
        check()
      }),
  }
}
