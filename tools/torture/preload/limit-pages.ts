/** Stops the growth of the database on request, as on a full disk. */
import { DatabaseSync, type StatementSync } from 'node:sqlite'
import { answer } from './answer.ts'

const { prepare } = DatabaseSync.prototype
let database: DatabaseSync | undefined

DatabaseSync.prototype.prepare = function (sql, ...options): StatementSync {
  if (sql === 'commit') database = this
  return prepare.apply(this, [sql, ...options])
}

const read = (pragma: string): number =>
  Number(Object.values(database?.prepare(`pragma ${pragma}`).get() ?? {})[0])

answer({
  full: () => read(`max_page_count = ${read('page_count')}`),
  free: () => read('max_page_count = 1000000000'),
})
