// Types that these names lead to are exported there. TypeScript finds them only if something imports that entry.
import type {} from '../index.ts'
import type {} from '../webhooks/index.ts'

export * from '@wabakit/contract/documents'
