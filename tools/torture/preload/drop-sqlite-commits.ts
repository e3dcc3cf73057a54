/** Makes SQLite lie: rolls back one in `WABAKIT_DROP_EVERY` commits, and reports it as committed. */
import { DatabaseSync, type StatementSync } from 'node:sqlite'
import { answer } from './answer.ts'

const every = Number(process.env.WABAKIT_DROP_EVERY)
const { prepare } = DatabaseSync.prototype
let commits = 0

DatabaseSync.prototype.prepare = function (sql, ...options): StatementSync {
  const statement = prepare.apply(this, [sql, ...options])
  if (sql !== 'commit') return statement
  const run = statement.run.bind(statement)
  const rollback = prepare.apply(this, ['rollback'])
  statement.run = () => (++commits % every === 0 ? rollback.run() : run())
  return statement
}

answer({ dropped: () => Math.floor(commits / every) })
