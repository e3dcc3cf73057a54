import type { Contents, OwnerEntry } from './contents.ts'
import type { Interval, Kill } from './lines.ts'

/** What the log of owners shows besides broken rules. */
export type OwnerFigures = {
  /** Shards that were taken from workers that were dead or lost. */
  readonly takeovers: number
  /** Attempts that began while another of the same delivery was under way, after a takeover: the only way they may. */
  readonly overlaps: number
  /** How long after a kill something was attempted again in a shard of the process, in milliseconds. */
  readonly resumed: { readonly shards: number; readonly medianMs: number; readonly longestMs: number }
}

type Report = (rule: string, what: string) => void

/** Time that a lost worker has to end its attempts, in milliseconds. */
const graceMs = 2_000

const isOwnerChange = ({ kind }: OwnerEntry): boolean => kind !== 'settled'

/** Lists the entries that take a shard from another process. */
const listTakeovers = (log: readonly OwnerEntry[]): OwnerEntry[] => {
  const changes = log.filter(isOwnerChange)
  return changes.filter(({ kind, process }, nth) => {
    const before = changes[nth - 1]
    return kind === 'taken' && before?.kind === 'taken' && before.process !== process
  })
}

/** A shard has one owner, until it gives the shard up, or its lease is over, or it was lost; and it alone settles there. */
const checkShard = (log: readonly OwnerEntry[], report: Report): void => {
  for (const { shard, process, leaseLeftMs, lostMs } of listTakeovers(log)) {
    const isLost = lostMs !== undefined && lostMs >= graceMs
    if (leaseLeftMs > 0 && !isLost)
      report('taken from a worker that was alive', `shard ${shard} by ${process}`)
  }
  let owner: string | undefined
  for (const { shard, kind, process } of log) {
    if (kind === 'taken') owner = process
    else if (owner !== process)
      report(`${kind} by another than its owner`, `shard ${shard}: ${process}, not ${owner}`)
    if (kind === 'given up') owner = undefined
  }
}

export type OwnerEvidence = Pick<Contents, 'log' | 'deliveries'> & {
  readonly intervals: readonly Interval[]
  readonly kills: readonly Kill[]
}

/** How long it took from each kill to the next attempt in each shard of the process, unless its next owner was killed before. */
const measureResumed = (
  shards: ReadonlyMap<number, readonly OwnerEntry[]>,
  {
    kills,
    begun,
  }: { readonly kills: readonly Kill[]; readonly begun: ReadonlyMap<number, readonly number[]> },
): OwnerFigures['resumed'] => {
  const waits = [...shards].flatMap(([shard, log]) => {
    const changes = log.filter(isOwnerChange)
    return kills.flatMap((kill) => {
      const last = changes.findLastIndex(({ at }) => at <= kill.at)
      const [owned, next] = [changes[last], changes[last + 1]]
      if (owned?.kind !== 'taken' || owned.process !== kill.process || next === undefined) return []
      const at = begun.get(shard)?.find((time) => time >= next.at)
      const wasKilled = kills.some((each) => each.process === next.process && each.at <= (at ?? Infinity))
      return at === undefined || wasKilled ? [] : [at - kill.at]
    })
  })
  const inOrder = waits.toSorted((left, right) => left - right)
  return {
    shards: waits.length,
    medianMs: inOrder[Math.floor(waits.length / 2)] ?? 0,
    longestMs: inOrder.at(-1) ?? 0,
  }
}

/**
 * Checks what the log of owners says against what the endpoint saw: no two attempts of a delivery overlap, unless its
 * shard was taken over in between. The endpoint is on this machine, and so has the clock of the database.
 */
export const checkOwners = (evidence: OwnerEvidence, report: Report): OwnerFigures => {
  const { log, deliveries, intervals, kills } = evidence
  const shards = Map.groupBy(log, ({ shard }) => shard)
  const takeovers = new Map([...shards].map(([shard, own]) => [shard, listTakeovers(own)]))
  for (const own of shards.values()) checkShard(own, report)
  const shardsByEvent = new Map(deliveries.map(({ eventId, shard }) => [eventId, shard]))
  let overlaps = 0
  for (const [id, attempts] of Map.groupBy(intervals, (interval) => interval.id)) {
    const taken = takeovers.get(shardsByEvent.get(id) ?? -1) ?? []
    const inOrder = attempts.toSorted((left, right) => left.turns[0] - right.turns[0])
    for (const [place, later] of inOrder.entries()) {
      for (const earlier of inOrder.slice(0, place)) {
        if (earlier.turns[1] <= later.turns[0]) continue
        if (taken.some(({ at }) => earlier.begun <= at && at <= later.begun)) overlaps++
        else report('attempted by two workers concurrently', `${id} at ${later.begun}`)
      }
    }
  }
  const begun = new Map(
    [...Map.groupBy(intervals, ({ id }) => shardsByEvent.get(id) ?? -1)].map(([shard, own]) => [
      shard,
      own.map((each) => each.begun).toSorted((left, right) => left - right),
    ]),
  )
  return {
    takeovers: [...takeovers.values()].flat().length,
    overlaps,
    resumed: measureResumed(shards, { kills, begun }),
  }
}
