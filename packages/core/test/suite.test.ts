import { describe, test } from 'vitest'
import { suite } from './suite/index.ts'

describe('the reference server', () => {
  for (const { name, run } of suite) test(name, run)
})
