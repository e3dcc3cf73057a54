// These exports refer to types of those entries. TypeScript finds them only if something imports the entries.
import type {} from '../index.ts'
import type {} from '../webhooks/index.ts'

export * from '@wabakit/contract/documents'
