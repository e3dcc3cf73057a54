/**
 * A process that creates groups in a SQLite database and says, for each, that the store has answered.
 * Arguments: path, the number of concurrent writes, the number of all writes.
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
    // At once, past all buffers of this process: what it said is known although it is killed.
    writeSync(1, `${groupId}\n`)
  }
}
await Promise.all(Array.from({ length: Number(width) }, work))
await store.close()
