// The types of the matchers refer to types of this entry. TypeScript finds them only if something imports it.
import type {} from './index.ts'

export * from '@wabakit/mock/matchers'
