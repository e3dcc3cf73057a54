import { statSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, onTestFinished, test } from 'vitest'
import { groupCreation, organization } from '../../test/sqlite-records.ts'
import { temporaryFolder } from '../../test/temporary-folder.ts'
import { watchWrites } from '../serve/watch-writes.ts'
import { openDatabase } from './sqlite/open-database.ts'
import { storeOnDatabase } from './sqlite/sqlite-store.ts'

type Now = () => number

/** Stores whose checks are tested: one on SQLite, and a watched one whose own check always writes. */
const engines = {
  'the store on SQLite': (path: string, now: Now) => storeOnDatabase(openDatabase(path), now),
  'a watched store': (path: string, now: Now) => {
    let past = 0
    const always = () => {
      past += 10_000
      return past
    }
    return watchWrites(storeOnDatabase(openDatabase(path), always), now)
  },
}

describe.each(Object.entries(engines))('the check of %s', (_, openEngine) => {
  const open = async () => {
    const path = join(temporaryFolder(), 'wabakit.db')
    let time = 0
    const store = openEngine(path, () => time)
    onTestFinished(store.close)
    await store.saveOrganization(organization())
    time += 5_000
    return {
      store,
      checkWritable: store.checkWritable,
      wait: (ms: number) => {
        time += ms
      },
      /** Returns the size of the log, which grows with each write. */
      size: () => statSync(`${path}-wal`).size,
      /** Makes every write fail until the returned function is called. */
      lock: () => {
        const other = new DatabaseSync(path)
        other.exec('begin immediate')
        return () => other.close()
      },
    }
  }

  test('writes once for any number of checks within 5 seconds', async () => {
    const { checkWritable, wait, size } = await open()
    const before = size()

    await Promise.all([checkWritable(), checkWritable()])
    const after = size()
    wait(4_999)
    await checkWritable()

    expect(after).toBeGreaterThan(before)
    expect(size()).toBe(after)
    wait(1)
    await checkWritable()
    expect(size()).toBeGreaterThan(after)
  })

  test('writes nothing within 5 seconds after a change', async () => {
    const { store, checkWritable, wait, size } = await open()
    await store.createGroup(groupCreation('g1'))
    const after = size()

    wait(4_999)
    await checkWritable()

    expect(size()).toBe(after)
  })

  test('fails after a failed change, but not after a successful one', async () => {
    const { store, checkWritable, lock } = await open()
    await checkWritable()
    const unlock = lock()

    await expect(store.createGroup(groupCreation('g1'))).rejects.toMatchObject({
      code: 'storage_unavailable',
    })
    unlock()
    await expect(checkWritable()).rejects.toMatchObject({ code: 'storage_unavailable' })

    await store.createGroup(groupCreation('g1'))
    await checkWritable()
  })

  test('fails after its own write fails', async () => {
    const { store, checkWritable, wait } = await open()
    await checkWritable()
    await store.close()
    await checkWritable()

    wait(5_000)
    await expect(checkWritable()).rejects.toMatchObject({ code: 'storage_unavailable' })
  })
})
