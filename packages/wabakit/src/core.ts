export * from '@wabakit/core'
