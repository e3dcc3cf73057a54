import { createServer, type ServerResponse } from 'node:http'
import { createServer as createSocketServer } from 'node:net'

const cors = {
  'access-control-allow-origin': '*',
  'access-control-allow-headers': 'authorization, content-type',
  'access-control-expose-headers': 'x-request-id, retry-after',
}

const json = (response: ServerResponse, status: number, body: unknown, headers = {}): void => {
  response.writeHead(status, {
    'content-type': 'application/json',
    'x-request-id': 'req_1',
    ...cors,
    ...headers,
  })
  response.end(JSON.stringify(body))
}

const closedPort = async (): Promise<number> => {
  const server = createSocketServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  await new Promise((resolve) => server.close(resolve))
  return typeof address === 'object' && address ? address.port : 0
}

/**
 * Starts the service that every runtime is tried against. The first part of a path says how it behaves: `ok`, `once`
 * (busy the first time), `pending` (the first time), `hang`, `drop`, `redirect`, or a status.
 */
export const startService = async () => {
  const visits = new Map<string, number>()
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      if (request.method === 'OPTIONS') return response.writeHead(204, cors).end()
      const url = new URL(request.url ?? '', 'http://service')
      const [, behaviour = '', visitor = ''] = url.pathname.split('/')
      const place = `${behaviour}/${visitor}`
      const number = (visits.get(place) ?? 0) + 1
      visits.set(place, number)
      const success =
        request.method === 'POST'
          ? { success: true, groupId: JSON.parse(Buffer.concat(chunks).toString()).groupId ?? 'generated' }
          : {
              callId: url.searchParams.get('callId'),
              summary: { recap: JSON.stringify(request.headers), keyPoints: [], nextSteps: [] },
            }
      switch (behaviour) {
        case 'ok':
          return json(response, 200, success)
        case 'once':
          return number === 1
            ? json(response, 503, { code: 'storage_unavailable' }, { 'retry-after': '0' })
            : json(response, 200, success)
        case 'pending':
          return number === 1 ? json(response, 202, {}) : json(response, 200, success)
        case 'hang':
          return
        case 'drop':
          return response.destroy()
        case 'redirect':
          return json(response, 302, {}, { location: '/ok' })
        case 'page':
          return response
            .writeHead(200, { 'content-type': 'text/html' })
            .end('<!doctype html><title>page</title>')
        default:
          return json(response, Number(behaviour) || 404, {
            message: `key ${request.headers.authorization} is no good`,
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
    refusedUrl: `http://127.0.0.1:${await closedPort()}`,
    close: () => {
      server.closeAllConnections()
      return new Promise((resolve) => server.close(resolve))
    },
  }
}
