export * from '@wabakit/contract/documents'
