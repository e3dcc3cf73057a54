import type { DeliveryQueue, OwnedShard, WorkersView } from '@wabakit/core'
import {
  listChangedQueues,
  listQueues,
  type QueueRow,
  readHeads,
  readNextDueAt,
  readRetries,
} from './functions/delivery-queue.ts'
import { createLoading } from './load-deliveries.ts'
import type { PostgresDatabase } from './open-postgres.ts'
import { callFunction } from './query.ts'
import { shardCount } from './schema.ts'
import { createSettlements } from './settle-deliveries.ts'

const toChanged = ({ from, ...state }: QueueRow) => ({ state, from })

const toShardValues = ({ worker, shards }: Omit<Parameters<DeliveryQueue['takeShards']>[0], 'now'>) => [
  worker,
  shards.map(({ shard }) => shard),
  shards.map(({ epoch }) => epoch),
]

/** Loads, settles and reads pending deliveries in PostgreSQL, and assigns shards to workers. */
export const createDeliveryQueue = ({
  query,
  read,
  queueChanges,
  worker,
}: Pick<PostgresDatabase, 'query' | 'read' | 'queueChanges' | 'worker'>): DeliveryQueue & {
  nextDueAt(): Promise<number | undefined>
} => {
  const { learn, settleDeliveries } = createSettlements({ query, queueChanges })
  let owned: ReadonlySet<number> = new Set()
  const setOwned = (shards: Iterable<number>): void => {
    owned = new Set(shards)
    queueChanges.setShards(owned)
  }

  return {
    shards: shardCount,
    readQueues: async (request) => {
      const { shards, since, limit } = request
      // The cursor of a page is the snapshot of the first page. Unless it is the last page, the page's last queue follows.
      const [known, after] = since?.split(' ') ?? []
      if (known !== undefined && after === undefined) {
        const { queues: found, snapshot } = await listChangedQueues(read, shards, known)
        return { queues: found.map(toChanged), cursor: snapshot, isMore: false }
      }
      const { queues: found, snapshot } = await listQueues(read, request, after ?? '0')
      const first = known ?? snapshot
      const isMore = found.length === limit
      return {
        queues: found.map(toChanged),
        cursor: isMore ? `${first} ${found.at(-1)?.queue}` : first,
        isMore,
      }
    },
    readHeads: (request) => readHeads(read, request),
    readRetries: (request) => readRetries(read, request),
    loadDeliveries: createLoading(read, learn),
    settleDeliveries,
    nextDueAt: () => readNextDueAt(read),
    listen: queueChanges.listen,
    renewWorker: async (renewal) => {
      const sql = 'SELECT workers, shards, renew_in_ms AS "renewInMs" FROM renew_worker($1, $2)'
      const view = await worker.renew(
        renewal.worker,
        async () => (await query<WorkersView>(sql, [renewal.worker, renewal.leaseMs]))[0],
      )
      setOwned(view.shards.flatMap(({ shard, owner }) => (owner === renewal.worker ? shard : [])))
      return view
    },
    takeShards: async (request) => {
      const values = toShardValues(request)
      const taken = (await callFunction<OwnedShard[]>(query, 'take_shards($1, $2, $3)', values)) ?? []
      setOwned([...owned, ...taken.map(({ shard }) => shard)])
      return taken
    },
    giveShards: async (request) => {
      const given = new Set(request.shards.map(({ shard }) => shard))
      setOwned([...owned].filter((shard) => !given.has(shard)))
      await query('SELECT give_shards($1, $2, $3)', toShardValues(request))
    },
    endWorker: async (id) => {
      setOwned([])
      await query('SELECT end_worker($1)', [id])
      worker.end()
    },
  }
}
