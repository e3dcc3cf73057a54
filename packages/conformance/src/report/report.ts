/** Exit code of each verdict. A usage error is 2, and a target that cannot be reached is 3. */
export const exitCodes: Readonly<Record<Verdict, number>> = { pass: 0, fail: 1, inconclusive: 4 }

/** The severity of a failure. @inline */
export type Severity = 'critical' | 'high' | 'medium' | 'low'

/**
 * The verdict of one check:
 * - `pass`: the target follows the rule.
 * - `fail`: it does not.
 * - `advice`: its behavior is worth knowing, but breaks no rule. Advice makes a report fail only if the run is strict.
 * - `inconclusive`: the run could not determine it. `observed` has the reason, and how to get a result.
 * - `skipped`: the check does not apply to this run. `observed` has the reason, or the option that enables it.
 *
 * @inline
 */
export type CheckVerdict = 'pass' | 'fail' | 'advice' | 'inconclusive' | 'skipped'

/** The result of one check. */
export type CheckResult = {
  /** Stable name of the check, such as `refuses-unsigned`. */
  readonly id: string
  /** The group that it belongs to. */
  readonly group: string
  /** The rule in a few words. */
  readonly title: string
  readonly severity: Severity
  /** The clause of the specification, standard or decision on which the rule is based. */
  readonly clause: string
  /** Present if the specification is silent and this project decided the rule. Breaking it is advice, not a failure. */
  readonly decision?: true
  readonly verdict: CheckVerdict
  /** The behavior that the rule requires. */
  readonly expected: string
  /** The observed behavior. Contains no secret. */
  readonly observed: string
  /** The possible consequences of breaking the rule. */
  readonly risk: string
  /** The change that makes the check pass. */
  readonly fix: string
  /** A command that repeats the check; `null` if there is none. Contains no secret. */
  readonly reproduce: string | null
  /** Duration of the check, in milliseconds. */
  readonly durationMs: number
}

/**
 * The verdict of a whole run:
 * - `fail`: at least one check failed.
 * - `inconclusive`: none failed, but the run could not prove what a pass promises: the positive controls were not
 *   accepted, the time ran out, or no check could show that a delivery is handled only once.
 * - `pass`: none failed, and the positive controls passed. Individual checks may still be inconclusive: see `counts`.
 *
 * @inline
 */
export type Verdict = 'pass' | 'fail' | 'inconclusive'

/** The findings of a judge, as plain JSON. */
export type Report = {
  /** The judge: `doctor` attacks an endpoint, `acceptance` examines a server. */
  readonly tool: 'doctor' | 'acceptance'
  /** URL of the target, without credentials. */
  readonly target: string
  readonly verdict: Verdict
  /** Seed of all random choices in the run: the same seed results in the same requests. */
  readonly seed: number
  /** Number of checks by verdict. */
  readonly counts: Readonly<Record<CheckVerdict, number>>
  /** Every check, in the order in which they ran. */
  readonly checks: readonly CheckResult[]
}

const verdicts: readonly CheckVerdict[] = ['pass', 'fail', 'advice', 'inconclusive', 'skipped']

export const buildReport = (
  run: Pick<Report, 'tool' | 'target' | 'seed' | 'checks'> & {
    /** Set if the run has shown what a pass promises. */
    readonly isProven: boolean
    /** Set if advice fails the run, too. */
    readonly isStrict?: boolean | undefined
  },
): Report => {
  const { tool, target, seed, checks, isProven, isStrict = false } = run
  const count = (verdict: CheckVerdict): number => checks.filter((check) => check.verdict === verdict).length
  const counts = Object.fromEntries(verdicts.map((verdict) => [verdict, count(verdict)])) as Record<
    CheckVerdict,
    number
  >
  const isFailed = counts.fail > 0 || (isStrict && counts.advice > 0)
  const verdict = isFailed ? 'fail' : isProven ? 'pass' : 'inconclusive'
  return { tool, target, verdict, seed, counts, checks }
}
