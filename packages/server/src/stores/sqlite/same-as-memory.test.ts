import { join } from 'node:path'
import { onTestFinished, test } from 'vitest'
import { expectSameAsMemory } from '../../../test/same-as-memory.ts'
import { expectSameLists } from '../../../test/same-lists.ts'
import { expectSameRecords } from '../../../test/same-records.ts'
import { temporaryFolder } from '../../../test/temporary-folder.ts'
import { sqliteStore } from './sqlite-store.ts'

test('behaves like the memory store for any sequence of steps', async () => {
  const store = sqliteStore({ path: join(temporaryFolder(), 'wabakit.db') })
  onTestFinished(store.close)
  await expectSameAsMemory(store, 12)
})

test('lists the same records as the memory store, whatever the conditions', async () => {
  const store = sqliteStore({ path: join(temporaryFolder(), 'wabakit.db') })
  onTestFinished(store.close)
  await expectSameLists(store, 30)
})

test('changes the same records as the memory store, in each organization', async () => {
  const store = sqliteStore({ path: join(temporaryFolder(), 'wabakit.db') })
  onTestFinished(store.close)
  await expectSameRecords(store, 8)
})
