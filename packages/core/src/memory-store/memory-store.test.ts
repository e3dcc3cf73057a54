import { describe, test } from 'vitest'
import { storeCases } from '../../test/store-cases/index.ts'
import { memoryStore } from './memory-store.ts'

describe('memoryStore', () => {
  for (const { name, run } of storeCases) test(name, () => run(async () => memoryStore()))
})
