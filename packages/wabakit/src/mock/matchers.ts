// Types that these names lead to are exported there. TypeScript finds them only if something imports that entry.
import type {} from './index.ts'

export * from '@wabakit/mock/matchers'
