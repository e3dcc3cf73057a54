/**
 * A process that creates groups in a SQLite database and prints each id once the store has responded. Arguments: path,
 * number of concurrent writes, total number of writes.
 */
import { writeSync } from 'node:fs'
import { sqliteStore } from '../src/stores/sqlite/sqlite-store.ts'
import { groupCreation, organization, subscription } from './sqlite-records.ts'

const [path = '', width = '1', total = '1'] = process.argv.slice(2)
const store = sqliteStore({ path })
await store.saveOrganization(organization())
await store.saveSubscription(subscription())

let next = 0
const work = async (): Promise<void> => {
  while (next < Number(total)) {
    const groupId = `${process.pid}-${next++}`
    await store.createGroup(groupCreation(groupId))
    // Writes synchronously, so that the output survives when this process is killed.
    writeSync(1, `${groupId}\n`)
  }
}
await Promise.all(Array.from({ length: Number(width) }, work))
await store.close()
