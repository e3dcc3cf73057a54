import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { sqliteStore } from '@wabakit/server'
import { type Contents, formatDigitsSql, type GrowthEngine, payloadSql } from './backlog.ts'

const formatFillSql = (contents: Contents): string => {
  const { deliveries, subscriptions, subject, subscription, status, dueAt } = contents
  return `
  pragma journal_mode = delete; -- A write-ahead log would be as large as the database.
  pragma synchronous = off;
  pragma cache_size = -1048576;
  begin;
  insert into organizations (id, revision, callSummaries, integrations, pstnNumbers, createdAt)
  values ('acme', 1, 'manual', '[]', '[]', 0);
  with recursive s(n) as (select 1 union all select n + 1 from s where n < ${subscriptions})
  insert into subscriptions
    (id, organizationId, revision, channel, number, digits, url, events, secret, createdAt, updatedAt)
  select 'sub_' || n, 'acme', 1, 'WHATSAPP', '+' || ${formatDigitsSql('n')}, ${formatDigitsSql('n')}, 'https://receiver.example/', '"all"', 'whsec_', 0, 0 from s;
  create temp table filled as
  with recursive s(n) as (select 1 union all select n + 1 from s where n < ${deliveries})
  select n, ${subject} as subject, ${subscription} as subscription, ${status} as status, ${dueAt} as dueAt from s
  where n <= ${deliveries};
  insert into events
  select n, 'old_' || n, 'acme', 'GROUP_PARTICIPANT_JOINED', subject, 'WHATSAPP', ${formatDigitsSql('subscription')}, ${payloadSql}, null, null, n, 1, 0
  from filled;
  insert into deliveries (event, subscription, organizationId, subject, state, version, dueAt, finishedAt, attempts)
  select n, subscription, 'acme', subject, iif(status = 'delivered', status, 'fresh'), status = 'delivered',
    iif(status = 'delivered', null, dueAt), iif(status = 'delivered', n, null), status = 'delivered'
  from filled;
  insert into attempts
    (event, subscription, number, startedAt, durationMs, url, status, responseBody, succeeded, deferred)
  select n, subscription, 1, 0, 12, 'https://receiver.example/', 200, 'ok', 1, 0 from filled where status = 'delivered';
  commit;`
}

/** Creates backlogs on SQLite databases in a temporary folder. Every commit is synced. */
export const createSqliteEngine = (): GrowthEngine => {
  const folder = mkdtempSync(join(tmpdir(), 'wabakit-growth-'))
  let files = 0
  return {
    name: 'SQLite',
    fill: async (contents) => {
      const path = join(folder, `${files++}.db`)
      await sqliteStore({ path }).close()
      const database = new DatabaseSync(path)
      database.exec(formatFillSql(contents))
      database.close()
      const store = sqliteStore({ path })
      return {
        database: path,
        store,
        remove: async () => {
          await store.close()
          rmSync(path)
        },
      }
    },
    close: async () => rmSync(folder, { recursive: true }),
  }
}
