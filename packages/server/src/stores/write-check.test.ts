import { statSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, onTestFinished, test } from 'vitest'
import { groupCreation, organization, subscription } from '../../test/sqlite-records.ts'
import { temporaryFolder } from '../../test/temporary-folder.ts'
import { openDatabase } from './sqlite/open-database.ts'
import { storeOnDatabase } from './sqlite/sqlite-store.ts'

describe('the check of the store on SQLite', () => {
  const open = async () => {
    const path = join(temporaryFolder(), 'wabakit.db')
    let time = 0
    const store = storeOnDatabase(openDatabase(path), () => time)
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
      /** Runs SQL on another connection. */
      run: (sql: string) => {
        const other = new DatabaseSync(path)
        other.exec(sql)
        other.close()
      },
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

  test.each(['groups', 'events', 'deliveries'])('fails while no row of %s can be added', async (table) => {
    const { store, checkWritable, run, wait } = await open()
    await store.saveSubscription(subscription())
    await checkWritable()
    run(`create trigger audit before insert on ${table} begin select raise(abort, 'audit'); end`)
    await expect(store.createGroup(groupCreation('g1'))).rejects.toThrow('audit')

    await expect(checkWritable()).rejects.toThrow('audit')
    wait(60_000)
    await expect(checkWritable()).rejects.toThrow('audit')
    run('drop trigger audit')
    await checkWritable()
  })

  test('leaves nothing behind, and reports no delivery', async () => {
    const { store, checkWritable } = await open()
    await store.saveSubscription(subscription())
    const changes: unknown[] = []
    store.listen((change) => changes.push(change))

    await checkWritable()

    expect((await store.listGroups({ organizationId: 'acme', limit: 10 })).items).toEqual([])
    expect(await store.nextDueAt()).toBeUndefined()
    expect(changes).toEqual([])
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
