export * from '@wabakit/webhooks'
