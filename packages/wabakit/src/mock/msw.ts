export * from '@wabakit/mock/msw'
