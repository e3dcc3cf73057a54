import { createServer } from 'node:http'
import { urlToken } from 'wabakit/webhooks'
import { toNodeHandler } from 'wabakit/webhooks/node'
import { createOrders } from './orders.ts'

const orders = createOrders(urlToken({ token: process.env.WEBHOOK_TOKEN ?? '' }), 'orders.db')

orders.start()
createServer(toNodeHandler(orders)).listen(process.env.PORT ?? 3000)
