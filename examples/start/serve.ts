import { createServer } from 'node:http'
import { standardWebhooks } from 'wabakit/webhooks'
import { toNodeHandler } from 'wabakit/webhooks/node'
import { createOrders } from './orders.ts'

const verify = standardWebhooks({ secrets: [process.env.WABAKIT_WEBHOOK_SECRET ?? ''] })

createServer(toNodeHandler(createOrders(verify))).listen(process.env.PORT ?? 3000)
