export * from '@wabakit/contract'
