import { createServer } from 'node:http'
import { bearerAuth } from 'wabakit/webhooks'
import { toNodeHandler } from 'wabakit/webhooks/node'
import { createOrders } from './orders.ts'

const orders = createOrders(bearerAuth({ token: process.env.WEBHOOK_TOKEN ?? '' }), 'orders.db')

orders.start()
createServer(toNodeHandler(orders)).listen(process.env.PORT ?? 3000)
