import type { Store } from '@wabakit/core'
import { storeCases } from '@wabakit/core/testing'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { createCluster, type PostgresCluster } from '../../../test/postgres-cluster.ts'
import { openPostgres, type PostgresDatabase } from './open-postgres.ts'
import { postgresStore } from './postgres-store.ts'

/** What a newer version may do to any table while this one runs: every case must hold with it. */
const expandAll = `DO $$ DECLARE each text; BEGIN
  FOR each IN SELECT tablename FROM pg_tables WHERE schemaname = 'wabakit' LOOP
    EXECUTE format('ALTER TABLE wabakit.%I ADD COLUMN of_next_version integer NOT NULL DEFAULT 1', each);
  END LOOP;
END $$`

let cluster: PostgresCluster
let database: PostgresDatabase

beforeAll(async () => {
  cluster = await createCluster()
  database = await openPostgres({ url: await cluster.createDatabase() })
  await database.query(expandAll)
  // The one thing that is replaced: the database's clock shows what it is set to.
  await database.query('CREATE TABLE public.clock AS SELECT 0::bigint AS now')
  await database.query(
    'CREATE OR REPLACE FUNCTION wabakit.clock_ms() RETURNS bigint LANGUAGE sql VOLATILE RETURN (SELECT now FROM public.clock)',
  )
})

afterAll(async () => {
  await database.close()
  await cluster.remove()
})

const tables = [
  ...['organizations', 'api_keys', 'groups', 'participants', 'calls', 'summaries', 'summary_marks'],
  ...['subscriptions', 'events', 'deliveries', 'attempts'],
]

/** An empty store on a clock that shows the time of each call. */
const openStore = async (): Promise<Store> => {
  for (const table of tables) await database.query(`DELETE FROM wabakit.${table}`)
  const store = postgresStore(database)
  let shown: number | undefined
  const at = async <Result>(now: number | undefined, run: () => Promise<Result>): Promise<Result> => {
    if (now !== undefined && now !== shown) {
      shown = now
      await database.query('UPDATE public.clock SET now = $1', [now])
    }
    return run()
  }
  return {
    ...store,
    createGroup: (change) => at(change.event.occurredAt, () => store.createGroup(change)),
    saveParticipant: (change) => at(change.event.occurredAt, () => store.saveParticipant(change)),
    saveCall: (change) => at(change.event?.occurredAt, () => store.saveCall(change)),
    saveSummary: (change) => at(change.event?.occurredAt, () => store.saveSummary(change)),
    addEvent: (event) => at(event.occurredAt, () => store.addEvent(event)),
    claimDeliveries: (claim) => at(claim.now, () => store.claimDeliveries(claim)),
    measureBacklog: (request) => at(request.now, () => store.measureBacklog(request)),
    settleDelivery: (settlement) => at(settlement.now, () => store.settleDelivery(settlement)),
    resendDeliveries: (query) => at(query.now, () => store.resendDeliveries(query)),
    cancelDelivery: (request) => at(request.now, () => store.cancelDelivery(request)),
    retryDelivery: (request) => at(request.now, () => store.retryDelivery(request)),
    close: async () => {},
  }
}

describe('postgresStore', () => {
  for (const { name, run } of storeCases) test(name, () => run(openStore))
})
