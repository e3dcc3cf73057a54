import type { ClaimEntry, Contents } from './contents.ts'
import type { Interval } from './lines.ts'

/** What the log of claims shows besides broken rules. */
export type ClaimFigures = {
  /** Claims that were taken over after their lease. */
  readonly takeovers: number
  /** Attempts that began while another of the same delivery was under way, after a takeover: the only way they may. */
  readonly overlaps: number
}

type Report = (rule: string, what: string) => void

/** One process at a time holds a claim, until it is settled or its lease is over, and it alone settles it. */
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
      if (kind === 'settled' && holder?.process !== process) {
        report('settled by another than its holder', `${eventId}: ${process} instead of ${holder?.process}`)
      }
      held.delete(eventId)
    }
  }
}

const isTakeover = ({ leaseLeftMs }: ClaimEntry): boolean => leaseLeftMs !== undefined

/**
 * Checks what the log of claims says against what the endpoint saw: each claim is attempted once at most, and no two
 * attempts of a delivery overlap, unless the delivery was taken over between their claims. The endpoint is on this
 * machine, and so has the clock of the database.
 */
export const checkClaims = (
  { claims }: Pick<Contents, 'claims'>,
  intervals: readonly Interval[],
  report: Report,
): ClaimFigures => {
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
    const inOrder = attempts.toSorted((left, right) => left.begun - right.begun)
    for (const [place, later] of inOrder.entries()) {
      for (const earlier of inOrder.slice(0, place)) {
        if (earlier.ended <= later.begun) continue
        const isAllowed = own.some((claim, nth) => {
          const before = own[nth - 1]
          return (
            before !== undefined && isTakeover(claim) && before.at <= earlier.begun && claim.at <= later.begun
          )
        })
        if (isAllowed) overlaps++
        else report('attempted by two at the same time', `${id} at ${later.begun}`)
      }
    }
  }
  return { takeovers: claims.filter(isTakeover).length, overlaps }
}
