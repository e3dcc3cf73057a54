export * from '@wabakit/webhooks/node'
