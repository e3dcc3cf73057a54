import type { DeliveryQueue, OwnedShard } from '../store.ts'

/** The workers of one process, and their shards. */
export type Workers = Pick<
  DeliveryQueue,
  'shards' | 'renewWorker' | 'takeShards' | 'giveShards' | 'endWorker'
> & {
  /** Returns whether a shard still has this epoch. */
  isCurrent(owned: OwnedShard): boolean
}

/** @param count - the number of shards. */
export const createWorkers = (count: number): Workers => {
  const leases = new Map<string, number>()
  const shards = Array.from({ length: count }, (_, shard) => ({
    shard,
    epoch: 0,
    owner: null as string | null,
  }))

  const isAlive = (worker: string, now: number): boolean => (leases.get(worker) ?? -Infinity) > now
  const isCurrent = ({ shard, epoch }: OwnedShard): boolean => shards[shard]?.epoch === epoch
  const find = (names: readonly OwnedShard[]) =>
    shards.filter((each) => names.some(({ shard, epoch }) => shard === each.shard && epoch === each.epoch))

  return {
    shards: count,
    isCurrent,
    renewWorker: async ({ worker, leaseMs, now }) => {
      leases.set(worker, now + leaseMs)
      return {
        renewInMs: leaseMs / 4,
        workers: [...leases.keys()].filter((each) => isAlive(each, now)),
        shards: shards.map(({ shard, epoch, owner }) => ({
          shard,
          epoch,
          owner: owner !== null && isAlive(owner, now) ? owner : null,
        })),
      }
    },
    takeShards: async ({ worker, shards: names, now }) => {
      // A worker whose lease has ended would immediately lose any shard that it takes.
      if (!isAlive(worker, now)) return []
      const free = find(names).filter(
        ({ owner }) => owner === null || owner === worker || !isAlive(owner, now),
      )
      return free.map((each) => {
        each.owner = worker
        each.epoch++
        return { shard: each.shard, epoch: each.epoch }
      })
    },
    giveShards: async ({ worker, shards: names }) => {
      for (const each of find(names)) if (each.owner === worker) each.owner = null
    },
    endWorker: async (worker) => {
      leases.delete(worker)
      for (const each of shards) if (each.owner === worker) each.owner = null
    },
  }
}
