import { createServer, type ServerResponse } from 'node:http'
import { createServer as createSocketServer } from 'node:net'

const cors = {
  'access-control-allow-origin': '*',
  'access-control-allow-headers': 'authorization, content-type, x-public-api-key',
  'access-control-expose-headers': 'x-request-id, retry-after',
}

const sendJson = (response: ServerResponse, status: number, body: unknown, headers = {}): void => {
  response.writeHead(status, {
    'content-type': 'application/json',
    'x-request-id': 'req_1',
    ...cors,
    ...headers,
  })
  response.end(JSON.stringify(body))
}

const findClosedPort = async (): Promise<number> => {
  const server = createSocketServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  await new Promise((resolve) => server.close(resolve))
  return typeof address === 'object' && address ? address.port : 0
}

/**
 * Starts the service for the tests of all runtimes. The first segment of the path selects its behavior: `ok`, `once` (503 on
 * the first request), `pending` (202 on the first request), `hang`, `drop`, `redirect`, `page`, or a status.
 */
export const startService = async () => {
  const visits = new Map<string, number>()
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      if (request.method === 'OPTIONS') return response.writeHead(204, cors).end()
      const url = new URL(request.url ?? '', 'http://service')
      const [, behavior = '', visitor = ''] = url.pathname.split('/')
      const key = `${behavior}/${visitor}`
      const number = (visits.get(key) ?? 0) + 1
      visits.set(key, number)
      const success =
        request.method === 'POST'
          ? { success: true, groupId: JSON.parse(Buffer.concat(chunks).toString()).groupId ?? 'generated' }
          : {
              callId: url.searchParams.get('callId'),
              summary: { recap: JSON.stringify(request.headers), keyPoints: [], nextSteps: [] },
            }
      switch (behavior) {
        case 'ok':
          return sendJson(response, 200, success)
        case 'once':
          return number === 1
            ? sendJson(response, 503, { code: 'storage_unavailable' }, { 'retry-after': '0' })
            : sendJson(response, 200, success)
        case 'pending':
          return number === 1 ? sendJson(response, 202, {}) : sendJson(response, 200, success)
        case 'hang':
          return
        case 'drop':
          return response.destroy()
        case 'redirect':
          return sendJson(response, 302, {}, { location: '/ok' })
        case 'page':
          return response
            .writeHead(200, { 'content-type': 'text/html' })
            .end('<!doctype html><title>page</title>')
        default:
          return sendJson(response, Number(behavior) || 404, {
            message: `key ${request.headers.authorization} is not valid`,
            code: 'invalid_subject',
          })
      }
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  const port = typeof address === 'object' && address ? address.port : 0
  return {
    url: `http://127.0.0.1:${port}`,
    refusedUrl: `http://127.0.0.1:${await findClosedPort()}`,
    close: () => {
      server.closeAllConnections()
      return new Promise((resolve) => server.close(resolve))
    },
  }
}
