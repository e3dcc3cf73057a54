export * from '@wabakit/mock/matchers'
