import type { ClaimEntry, Contents } from './contents.ts'
import type { Interval, Kill } from './lines.ts'

/** What the log of claims shows besides broken rules. */
export type ClaimFigures = {
  /** Claims that were taken over, after their lease or from a worker that was lost. */
  readonly takeovers: number
  /** Attempts that began while another of the same delivery was under way, after its lease: the only way they may. */
  readonly overlaps: number
  /** How long after a kill what the process had claimed was attempted again, in milliseconds. */
  readonly resumed: { readonly deliveries: number; readonly medianMs: number; readonly longestMs: number }
}

type Report = (rule: string, what: string) => void

/** Time that a lost worker has to end its attempts, in milliseconds. */
const graceMs = 2_000

/** Whether a claim is released that was another's: the worker was lost long enough before. */
const isTakenFromLost = ({ kind, lostMs }: ClaimEntry): boolean =>
  kind === 'released' && lostMs !== undefined && lostMs >= graceMs

/**
 * One process at a time holds a claim, until it is settled, or its lease is over, or the process was lost; and it alone
 * settles it.
 */
const checkLog = (claims: readonly ClaimEntry[], report: Report): void => {
  const held = new Map<string, ClaimEntry>()
  for (const entry of claims) {
    const { eventId, kind, process, leaseLeftMs } = entry
    const holder = held.get(eventId)
    if (kind === 'claimed') {
      if (holder !== undefined && leaseLeftMs === undefined) report('claimed while it was claimed', eventId)
      if (leaseLeftMs !== undefined && leaseLeftMs > 0)
        report('taken over before its lease was over', eventId)
      held.set(eventId, entry)
    } else {
      if (kind !== 'dropped' && holder?.process !== process && !isTakenFromLost(entry)) {
        report('settled by another than its holder', `${eventId}: ${process} instead of ${holder?.process}`)
      }
      held.delete(eventId)
    }
  }
}

const isAfterLease = ({ leaseLeftMs }: ClaimEntry): boolean => leaseLeftMs !== undefined

/** Whether a process was killed while it had a claim of a delivery. */
const wasHeld = (log: readonly ClaimEntry[], { process, at }: Kill): boolean => {
  const last = log.findLastIndex((entry) => entry.at <= at)
  const [held, next] = [log[last], log[last + 1]]
  if (held?.kind !== 'claimed' || held.process !== process) return false
  // Its last settlement may be done although it died meanwhile.
  return next?.kind !== 'settled' || next.process !== process
}

/**
 * How long it took from each kill to the next attempt of each delivery that the process had claimed. If the one that took it
 * over was killed, too, before it attempted anything, the later kill counts.
 */
const measureResumed = ({ claims, intervals, kills }: ClaimEvidence): ClaimFigures['resumed'] => {
  const attempts = Map.groupBy(intervals, ({ id }) => id)
  const waits = [...Map.groupBy(claims, ({ eventId }) => eventId)].flatMap(([id, log]) => {
    const times = kills.filter((each) => wasHeld(log, each)).map(({ at }) => at)
    return times.flatMap((at) => {
      const next = Math.min(...times.filter((each) => each > at))
      const begun = Math.min(
        ...(attempts.get(id) ?? []).map((each) => each.begun).filter((each) => each > at),
      )
      return begun < next ? [begun - at] : []
    })
  })
  const inOrder = waits.toSorted((left, right) => left - right)
  return {
    deliveries: waits.length,
    medianMs: inOrder[Math.floor(waits.length / 2)] ?? 0,
    longestMs: inOrder.at(-1) ?? 0,
  }
}

export type ClaimEvidence = Pick<Contents, 'claims'> & {
  readonly intervals: readonly Interval[]
  readonly kills: readonly Kill[]
}

/**
 * Checks what the log of claims says against what the endpoint saw: each claim is attempted once at most, and no two
 * attempts of a delivery overlap, unless the lease of the first was over when the second was claimed. The endpoint is on this
 * machine, and so has the clock of the database.
 */
export const checkClaims = (evidence: ClaimEvidence, report: Report): ClaimFigures => {
  const { claims, intervals } = evidence
  checkLog(claims, report)
  const claimed = Map.groupBy(
    claims.filter(({ kind }) => kind === 'claimed'),
    ({ eventId }) => eventId,
  )
  let overlaps = 0
  for (const [id, attempts] of Map.groupBy(intervals, (interval) => interval.id)) {
    const own = claimed.get(id) ?? []
    if (attempts.length > own.length) {
      report('attempted more often than claimed', `${id}: ${attempts.length} of ${own.length}`)
    }
    const inOrder = attempts.toSorted((left, right) => left.turns[0] - right.turns[0])
    for (const [place, later] of inOrder.entries()) {
      for (const earlier of inOrder.slice(0, place)) {
        if (earlier.turns[1] <= later.turns[0]) continue
        const isAllowed = own.some((claim, nth) => {
          const before = own[nth - 1]
          return (
            before !== undefined &&
            isAfterLease(claim) &&
            before.at <= earlier.begun &&
            claim.at <= later.begun
          )
        })
        if (isAllowed) overlaps++
        else report('attempted by two workers concurrently', `${id} at ${later.begun}`)
      }
    }
  }
  const takeovers = claims.filter((claim) => isAfterLease(claim) || isTakenFromLost(claim)).length
  return { takeovers, overlaps, resumed: measureResumed(evidence) }
}
