import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { sqliteStore } from '../../src/stores/sqlite/sqlite-store.ts'
import { temporaryFolder } from '../temporary-folder.ts'
import { defineSuite } from './define-suite.ts'

const openStore = async () => {
  const store = sqliteStore({ path: join(temporaryFolder(), 'wabakit.db') })
  onTestFinished(() => store.close())
  return store
}

defineSuite('the reference server on SQLite', async () => ({ openStore }))
