import { join } from 'node:path'
import { test } from 'vitest'
import { storeCases } from '../../../../core/test/store-cases/index.ts'
import { temporaryFolder } from '../../../test/temporary-folder.ts'
import { sqliteStore } from './sqlite-store.ts'

for (const { name, run } of storeCases)
  test(name, () => run(async () => sqliteStore({ path: join(temporaryFolder(), 'wabakit.db') })))
