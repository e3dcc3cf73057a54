import { createServer } from 'node:http'
import { toNodeHandler } from '@wabakit/webhooks/node'
import Koa from 'koa'
import { describe } from 'vitest'
import { frameworkCases, listen, type Start } from './framework-cases.ts'

const start: Start = (receiver) => {
  const handler = toNodeHandler(receiver)
  const app = new Koa()
  app.use(async (context, next) => {
    if (context.path !== '/webhooks') return next()
    context.respond = false
    await handler(context.req, context.res)
  })
  return listen(createServer(app.callback()))
}

describe('Koa 3', () => {
  frameworkCases(start)
})
