import type { DatabaseSync } from 'node:sqlite'
import type BetterSqlite from 'better-sqlite3'
import type { Pool as MysqlPool, PoolConnection } from 'mysql2/promise'
import type { Pool, PoolClient } from 'pg'
import { expectTypeOf } from 'vitest'
import { createReceiver, memoryDedupe, type Receiver, sqlInbox, unsigned } from '../index.ts'

declare const pool: Pool
declare const mysqlPool: MysqlPool
declare const database: DatabaseSync
declare const betterDatabase: BetterSqlite.Database
const verify = unsigned()

// Handlers get the client of their pool, or their database.
createReceiver({ verify, inbox: sqlInbox(pool) })
  .on('CALL_AI_SUMMARY', async (_, { transaction, attempt }) => {
    expectTypeOf(transaction).returns.resolves.toEqualTypeOf<PoolClient>()
    expectTypeOf(attempt.number).toEqualTypeOf<number>()
  })
  .start()
createReceiver({ verify, inbox: sqlInbox(mysqlPool, { dialect: 'mysql' }) }).onAny(
  async (_, { transaction }) => {
    expectTypeOf(transaction).returns.resolves.toEqualTypeOf<PoolConnection>()
  },
)
createReceiver({ verify, inbox: sqlInbox(database, { dialect: 'sqlite' }) }).onAny((_, { atCompletion }) =>
  atCompletion((given) => expectTypeOf(given).toEqualTypeOf<DatabaseSync>()),
)
createReceiver({ verify, inbox: sqlInbox(betterDatabase, { dialect: 'sqlite' }) }).onUnknown(
  (_, { atCompletion }) =>
    atCompletion((given) => expectTypeOf(given).toEqualTypeOf<BetterSqlite.Database>()),
)

// A receiver has the methods of an inbox only if it has an inbox.
expectTypeOf(createReceiver({ verify })).toEqualTypeOf<Receiver>()
expectTypeOf(createReceiver({ verify })).not.toHaveProperty('accept')
// @ts-expect-error an inbox is not a dedupe store
createReceiver({ verify, dedupe: sqlInbox(pool) })
createReceiver({ verify, dedupe: memoryDedupe() }).onAny((_, context) =>
  expectTypeOf(context).not.toHaveProperty('transaction'),
)
