/** Exit code of each verdict. A usage error exits with 2, and an unreachable target with 3. */
export const exitCodes: Readonly<Record<Verdict, number>> = { pass: 0, fail: 1, inconclusive: 4 }

/** The severity of a failure. @inline */
export type Severity = 'critical' | 'high' | 'medium' | 'low'

/**
 * The verdict of one check:
 * - `pass`: the target follows the rule.
 * - `fail`: it does not.
 * - `advice`: its behavior is worth knowing about, but not counted as a mistake. It never makes a report fail.
 * - `inconclusive`: the run could not determine it. `observed` contains the reason and, if there is a way, how to get a
 *   result.
 * - `skipped`: the check does not apply to this run. `observed` contains the reason or the option that enables it.
 *
 * @inline
 */
export type CheckVerdict = 'pass' | 'fail' | 'advice' | 'inconclusive' | 'skipped'

/** The result of one check. */
export type CheckResult = {
  /** Stable name of the check, such as `refuses-unsigned`. */
  readonly id: string
  readonly group: string
  /** The rule in a few words. */
  readonly title: string
  readonly severity: Severity
  /** The source of the rule: usually a clause of the specification, of a standard or of a decision. */
  readonly clause: string
  readonly verdict: CheckVerdict
  /** Present if the failure or advice follows from that of another check, whose id this is. One fix is often enough for both. */
  readonly because?: string
  /** The behavior that the rule requires. */
  readonly expected: string
  /** The observed behavior. Contains no secret of 6 or more characters. */
  readonly observed: string
  /** The possible consequences of breaking the rule. */
  readonly risk: string
  /** The change that makes the check pass, or where to look for it. */
  readonly fix: string
  /** A command that repeats the check, or `null` if there is none. Contains no secret. */
  readonly reproduce: string | null
  /** Duration of the check, in milliseconds. */
  readonly durationMs: number
}

/**
 * The verdict of a whole run:
 * - `fail`: at least one check failed.
 * - `inconclusive`: none failed, but the run could not prove what a pass promises: the positive controls were not
 *   accepted, the time ran out, a check of handling each delivery only once was inconclusive, a check could not tell
 *   whether it saw a mistake, for example because this machine was busy, or only `accepts-genuine` had a result, although others ran.
 * - `pass`: none failed, and none of these cases occurred. Individual checks may still be inconclusive. See `counts`.
 *
 * @inline
 */
export type Verdict = 'pass' | 'fail' | 'inconclusive'

/** The findings of the doctor, as plain JSON. */
export type Report = {
  readonly tool: 'doctor'
  /** URL of the target, with `?…` for its query, which may contain a token. */
  readonly target: string
  readonly verdict: Verdict
  /**
   * Seed of all random choices in the run. With the same options and responses, the same seed results in the same requests,
   * except for ids, times and signatures.
   */
  readonly seed: number
  /** Number of checks by verdict. */
  readonly counts: Readonly<Record<CheckVerdict, number>>
  /** All checks in the order they ran. */
  readonly checks: readonly CheckResult[]
}

export const buildReport = (
  run: Pick<Report, 'target' | 'seed' | 'checks'> & {
    /** Set if the run proved what a pass promises, as {@link Verdict} lists it. `endpoint/examine-endpoint.ts` decides it. */
    readonly isProven: boolean
  },
): Report => {
  const { target, seed, checks, isProven } = run
  const counts = { pass: 0, fail: 0, advice: 0, inconclusive: 0, skipped: 0 }
  for (const check of checks) counts[check.verdict] += 1
  const verdict = counts.fail > 0 ? 'fail' : isProven ? 'pass' : 'inconclusive'
  return { tool: 'doctor', target, verdict, seed, counts, checks }
}
