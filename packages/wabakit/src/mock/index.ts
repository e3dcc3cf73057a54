export * from '@wabakit/mock'
