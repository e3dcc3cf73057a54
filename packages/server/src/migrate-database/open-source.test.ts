import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, onTestFinished, test } from 'vitest'
import { organization } from '../../test/sqlite-records.ts'
import { temporaryFolder } from '../../test/temporary-folder.ts'
import { sqliteStore } from '../stores/sqlite/sqlite-store.ts'
import { copiedTables } from './copied-tables.ts'
import { openSource } from './open-source.ts'

test('batches have at most 1,000 rows and end at 4 MiB, also after a batch of either kind', async () => {
  const file = join(temporaryFolder(), 'wabakit.db')
  const store = sqliteStore({ path: file })
  await store.saveOrganization(organization())
  await store.close()
  const database = new DatabaseSync(file)
  database.exec(`
    with recursive n (i) as (select 1 union all select i + 1 from n where i < 2105)
    insert into groups select 'acme', printf('g%05d', i), '', '', '', '',
      iif(i <= 3, replace(hex(zeroblob(1000000)), '0', 'x'), ''), 'auto_approve', '', 0, 0 from n
  `)
  database.close()
  const source = openSource(file)
  onTestFinished(source.close)
  const table = copiedTables.find(({ name }) => name === 'groups')
  if (table === undefined) throw new Error('There is no such table.')
  expect(Array.from(source.batches(table), ({ rows }) => rows)).toEqual([3, 1_000, 1_000, 102])
})
