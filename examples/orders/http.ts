import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import { toNodeHandler } from 'wabakit/webhooks/node'
import type { Order, Orders } from './orders.ts'

const isOrder = (value: unknown): value is Order => {
  const { id, title } = Object(value)
  return typeof id === 'string' && /^[\w-]{1,40}$/.test(id) && typeof title === 'string' && title !== ''
}

const respond = (response: ServerResponse, status: number, body: unknown): void => {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}

const readJson = async (request: IncomingMessage): Promise<unknown> => {
  try {
    return JSON.parse(await text(request))
  } catch {
    return undefined
  }
}

/** Serves `POST /orders`, `GET /orders/:id`, `GET /summaries`, `GET /rings` and `POST /webhooks`. */
export const createHttpServer = (orders: Orders): Server => {
  const handleWebhook = toNodeHandler(orders.receiver)

  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const [path] = request.url?.split('?') ?? []
    const route = `${request.method} ${path}`
    if (route === 'POST /webhooks') return handleWebhook(request, response)
    if (route === 'GET /summaries') return respond(response, 200, await orders.listSummaries())
    if (route === 'GET /rings') return respond(response, 200, await orders.listRings())
    if (route === 'POST /orders') {
      const order = await readJson(request)
      if (!isOrder(order)) return respond(response, 400, { message: 'An order has an id and a title.' })
      await orders.place(order)
      return respond(response, 201, await orders.find(order.id))
    }
    const [, id] = /^GET \/orders\/([\w-]+)$/.exec(route) ?? []
    const order = id && (await orders.find(id))
    return order ? respond(response, 200, order) : respond(response, 404, { message: 'Not found.' })
  }

  return createServer((request, response) => {
    handle(request, response).catch((error) => {
      console.error('A request failed.', error)
      respond(response, 500, { message: 'The request failed.' })
    })
  })
}
