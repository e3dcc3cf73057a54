export * from '@wabakit/webhooks/fastify'
