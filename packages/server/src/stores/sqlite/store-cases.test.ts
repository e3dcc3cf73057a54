import { join } from 'node:path'
import { storeCases } from '@wabakit/core/testing'
import { test } from 'vitest'
import { temporaryFolder } from '../../../test/temporary-folder.ts'
import { sqliteStore } from './sqlite-store.ts'

for (const { name, run } of storeCases)
  test(name, () => run(async () => sqliteStore({ path: join(temporaryFolder(), 'wabakit.db') })))
