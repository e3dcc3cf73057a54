export * from '@wabakit/client'
