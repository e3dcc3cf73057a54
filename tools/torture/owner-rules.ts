import type { Contents, OwnerEntry } from './contents.ts'
import type { AttemptLine, EndLine } from './lines.ts'

/** Figures from the ownership log. */
export type OwnerFigures = {
  /** Number of shards taken from dead or lost workers. */
  readonly takeovers: number
  /**
   * Number of times that two attempts of one delivery overlapped, which is allowed only if one of the workers had lost
   * the shard.
   */
  readonly overlaps: number
  /** The time from killing a process to the next attempt in its shards, in milliseconds. */
  readonly resumed: {
    readonly shards: number
    /** Number of these shards that waited for the end of the lease, because the loss of the process was not noticed. */
    readonly unnoticed: number
    readonly medianMs: number
    readonly longestMs: number
  }
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

/**
 * Checks that a shard's owner keeps it until it gives the shard up, its lease ends, or it is lost, and that only the
 * owner settles in the shard.
 */
const checkShard = (log: readonly OwnerEntry[], report: Report): void => {
  for (const { shard, process, leaseLeftMs, lostMs } of listTakeovers(log)) {
    const isLost = lostMs !== undefined && lostMs >= graceMs
    if (leaseLeftMs > 0 && !isLost) report('taken from a living worker', `shard ${shard} by ${process}`)
  }
  let owner: string | undefined
  for (const { shard, kind, process } of log) {
    if (kind === 'taken') owner = process
    else if (owner !== process)
      report(`${kind} by a process other than the owner`, `shard ${shard}: ${process}, not ${owner}`)
    if (kind === 'given up') owner = undefined
  }
}

export type OwnerEvidence = Pick<Contents, 'log' | 'deliveries'> & {
  readonly attempts: readonly AttemptLine[]
  readonly ends: readonly EndLine[]
}

/** The period in which a process attempted to deliver an event. */
type Attempt = {
  readonly id: string
  readonly process: string
  /** Unix time in milliseconds. */
  readonly at: number
  /** Time of the monotonic clock, in milliseconds. */
  readonly begun: number
  readonly ended: number
}

/** Lists attempts. A process's running attempts end when it is killed or exits. */
const listAttempts = ({ attempts: lines, ends }: OwnerEvidence): Attempt[] => {
  const toKey = ({ process, number }: AttemptLine): string => `${process} ${number}`
  const ended = new Map(lines.flatMap((line) => (line.begun ? [] : [[toKey(line), line.monotonic] as const])))
  // The first line of each process counts, because a process is killed before it exits.
  const exited = new Map(ends.toReversed().map(({ process, monotonic }) => [process, monotonic]))
  return lines.flatMap((line) => {
    const { process, monotonic, begun } = line
    const end = ended.get(toKey(line)) ?? exited.get(process) ?? Infinity
    return begun ? [{ ...begun, process, begun: monotonic, ended: end }] : []
  })
}

/**
 * Checks that attempts of one delivery do not overlap, unless one of the workers had lost the shard by then. Returns
 * the number of allowed overlaps.
 */
const checkAttempts = (
  attempts: readonly Attempt[],
  changes: readonly OwnerEntry[],
  report: Report,
): number => {
  let overlaps = 0
  const findOwnership = ({ process, at }: Attempt): number =>
    changes.findLastIndex(
      (change) => change.kind === 'taken' && change.process === process && change.at <= at,
    )
  const isLost = (ownership: number): boolean => {
    const [before, after] = [changes[ownership], changes[ownership + 1]]
    return after?.kind === 'taken' && after.process !== before?.process
  }
  const inOrder = attempts.toSorted((left, right) => left.begun - right.begun)
  for (const [place, later] of inOrder.entries()) {
    if (changes.length > 0 && findOwnership(later) < 0)
      report('attempted by a process other than the owner', `${later.id} by ${later.process}`)
    for (const earlier of inOrder.slice(0, place)) {
      if (earlier.ended <= later.begun) continue
      const ownerships = [findOwnership(earlier), findOwnership(later)]
      if (ownerships[0] !== ownerships[1] && isLost(Math.min(...ownerships))) overlaps++
      else
        report(
          'overlapping attempts',
          `${later.id} by ${earlier.process} and ${later.process} at ${later.at}`,
        )
    }
  }
  return overlaps
}

/**
 * Measures the time from each kill to the next attempt in each of the process's shards, unless the next owner was
 * killed first.
 */
const measureResumed = (
  shards: ReadonlyMap<number, readonly OwnerEntry[]>,
  {
    kills,
    begun,
  }: { readonly kills: readonly EndLine[]; readonly begun: ReadonlyMap<number, readonly number[]> },
): OwnerFigures['resumed'] => {
  const waits = [...shards].flatMap(([shard, log]) => {
    const changes = log.filter(isOwnerChange)
    return kills.flatMap((kill) => {
      const last = changes.findLastIndex(({ at }) => at <= kill.at)
      const [owned, next] = [changes[last], changes[last + 1]]
      if (owned?.kind !== 'taken' || owned.process !== kill.process || next === undefined) return []
      const at = begun.get(shard)?.find((time) => time >= next.at)
      const wasKilled = kills.some((each) => each.process === next.process && each.at <= (at ?? Infinity))
      return at === undefined || wasKilled ? [] : [{ ms: at - kill.at, isNoticed: next.lostMs !== undefined }]
    })
  })
  const inOrder = waits.map(({ ms }) => ms).toSorted((left, right) => left - right)
  return {
    shards: waits.length,
    unnoticed: waits.filter(({ isNoticed }) => !isNoticed).length,
    medianMs: inOrder[Math.floor(waits.length / 2)] ?? 0,
    longestMs: inOrder.at(-1) ?? 0,
  }
}

/**
 * Checks the log of owners and the processes' attempts. The processes run on this machine, so they share the database's
 * clock.
 */
export const checkOwners = (evidence: OwnerEvidence, report: Report): OwnerFigures => {
  const { log, deliveries, ends } = evidence
  const shards = Map.groupBy(log, ({ shard }) => shard)
  for (const own of shards.values()) checkShard(own, report)
  const shardsByEvent = new Map(deliveries.map(({ eventId, shard }) => [eventId, shard]))
  const getShard = (id: string): number => shardsByEvent.get(id) ?? -1
  const attempts = listAttempts(evidence)
  const overlaps = [...Map.groupBy(attempts, ({ id }) => id)].map(([id, own]) =>
    checkAttempts(own, shards.get(getShard(id))?.filter(isOwnerChange) ?? [], report),
  )
  const begun = new Map(
    [...Map.groupBy(attempts, ({ id }) => getShard(id))].map(([shard, own]) => [
      shard,
      own.map(({ at }) => at).toSorted((left, right) => left - right),
    ]),
  )
  return {
    takeovers: [...shards.values()].flatMap(listTakeovers).length,
    overlaps: overlaps.reduce((sum, count) => sum + count, 0),
    resumed: measureResumed(shards, { kills: ends.filter(({ isKilled }) => isKilled), begun }),
  }
}
