export * from '@wabakit/webhooks/lambda'
