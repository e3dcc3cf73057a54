import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { temporaryFolder } from '../../../test/temporary-folder.ts'
import { openDatabase } from './open-database.ts'
import { applyRollback, createRemember, type Effects } from './remembered-tables.ts'

const openRemembered = () => {
  const { database, close } = openDatabase(join(temporaryFolder(), 'wabakit.db'))
  onTestFinished(close)
  const effects: Effects = []
  let reads = 0
  const count = database.prepare('select count(*) as count from organizations where id like ?')
  const find = createRemember(database, effects)(['organizations'], (pattern: string) => {
    reads += 1
    return Number(count.get(pattern)?.count)
  })
  const insert = database.prepare(
    `insert into organizations (id, revision, callSummaries, integrations, pstnNumbers, createdAt)
     values (?, 1, 'manual', '[]', '[]', 0)`,
  )
  return { database, effects, find, insert, countReads: () => reads }
}

test('reads a value once, until a row of the table is added, changed or removed', () => {
  const { database, find, insert, countReads } = openRemembered()
  expect([find('%'), find('%'), find('x'), countReads()]).toEqual([0, 0, 0, 2])
  insert.run('acme')
  expect([find('%'), find('%'), countReads()]).toEqual([1, 1, 3])
  database.exec(`update organizations set id = 'x'`)
  expect([find('x'), countReads()]).toEqual([1, 4])
  database.exec('delete from organizations')
  expect([find('x'), countReads()]).toEqual([0, 5])
})

test('forgets values read in a transaction that is rolled back', () => {
  const { database, effects, find, insert } = openRemembered()
  database.exec('begin')
  insert.run('acme')
  expect(find('%')).toBe(1)
  database.exec('rollback')
  applyRollback(effects)
  expect(find('%')).toBe(0)
})
