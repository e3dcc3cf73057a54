import type { Contents } from './contents.ts'
import type { AttemptLine, EndLine } from './lines.ts'

/** The counts of delivered attempts in the figures, compared with the recorded attempts. */
export type CountedFigures = {
  /** Number of delivered attempts that are missing in the figures. */
  readonly uncounted: number
  /** Maximum number that may be missing: the attempts of each killed process since it last wrote its counts. */
  readonly mayBeUncounted: number
}

/** A process writes its counts every ten seconds; on a busy machine, a write and a settlement take a few more. */
const unwrittenMs = 15_000

type Report = (rule: string, what: string) => void

export type FigureEvidence = Pick<Contents, 'figures' | 'deliveries'> & {
  readonly attempts: readonly AttemptLine[]
  readonly ends: readonly EndLine[]
}

/** Checks that no attempt is counted twice, and that an organization has the sum of its subscriptions. */
export const checkFigures = (
  { figures, deliveries, attempts, ends }: FigureEvidence,
  report: Report,
): CountedFigures => {
  const sum = (isOrganization: boolean): number =>
    figures
      .filter(({ subscriptionId }) => (subscriptionId === '') === isOrganization)
      .reduce((total, { counts }) => total + (counts.delivered ?? 0), 0)
  const counted = sum(true)
  const delivered = deliveries.reduce((total, { succeeded }) => total + succeeded, 0)
  if (counted !== sum(false)) report('figures do not add up', `${counted} and ${sum(false)}`)
  if (counted > delivered) report('figures count too much', `${counted} of ${delivered}`)
  const kills = new Map(ends.filter(({ isKilled }) => isKilled).map((end) => [end.process, end.monotonic]))
  return {
    uncounted: delivered - counted,
    mayBeUncounted: attempts.filter(
      ({ begun, process, monotonic }) =>
        begun !== undefined && monotonic >= (kills.get(process) ?? Number.POSITIVE_INFINITY) - unwrittenMs,
    ).length,
  }
}
