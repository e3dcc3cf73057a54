import { join } from 'node:path'
import { storeCases } from '@wabakit/core/testing'
import { test } from 'vitest'
import { temporaryFolder } from '../../../test/temporary-folder.ts'
import { sqliteStore } from './sqlite-store.ts'

test.each(storeCases)('$name', ({ run }) =>
  run(async () => sqliteStore({ path: join(temporaryFolder(), 'wabakit.db') })),
)
