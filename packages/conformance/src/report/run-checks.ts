import { longestTimerMs } from '@wabakit/wire'
import type { CheckResult, CheckVerdict } from './report.ts'

export type Finding = {
  readonly verdict: CheckVerdict
  /** The rule that was broken, if it is another one than the check's. @default the check's `title` */
  readonly title?: string | undefined
  /** @default the check's `severity` */
  readonly severity?: CheckResult['severity'] | undefined
  /** The observed behavior. For `inconclusive` and `skipped`, the reason and, if there is a way, how to get a result. */
  readonly observed: string
  /** @default the check's own `expected` */
  readonly expected?: string | undefined
  /** The risk of this failure, for a check that detects several mistakes. @default the check's `risk` */
  readonly risk?: string | undefined
  /** How to fix this failure, for a check that detects several mistakes. @default the check's `fix` */
  readonly fix?: string | undefined
  /** The id of a check whose failure explains this one, if that check fails. Advice is also explained by its advice. */
  readonly because?: string | undefined
  /**
   * The accepted deliveries that had no effect, by their labels. The check runs again, to tell whether they are lost by chance or because
   * of their content.
   */
  readonly lost?: readonly string[] | undefined
  /**
   * Set if the failure has a cause of its own, for example if only a special form of what the check sends has failed. It neither
   * explains others nor follows from one, unless it has stopped the endpoint.
   */
  readonly isPartial?: boolean
  /** A command that repeats the check. */
  readonly reproduce?: string | undefined
}

/** A rule and a function that determines whether the target follows it. */
export type Check = Pick<
  CheckResult,
  'id' | 'group' | 'title' | 'severity' | 'clause' | 'expected' | 'risk' | 'fix'
> & {
  /**
   * Runs the check. Whatever a target responds is a finding; only a target that cannot be reached may reject. `signal`
   * aborts when the check has ended, or its time is up.
   */
  run(signal: AbortSignal): Promise<Finding>
}

/** A check whose group has defaults for some of its fields. */
export type Defaulted<Kind, Field extends keyof Kind> = Omit<Kind, Field> & Partial<Pick<Kind, Field>>

/** Adds a group's defaults to its checks. A check's own fields take precedence. */
export const setDefaults = <Shared, Own>(
  checks: Readonly<Record<string, Own>>,
  defaults: Shared,
): Readonly<Record<string, Shared & Own>> =>
  Object.fromEntries(Object.entries(checks).map(([id, check]) => [id, { ...defaults, ...check }]))

/** A run's limits, and callbacks that can decline checks and receive results. */
export type RunOptions<Kind extends Check> = {
  /** Returns the maximum duration of the next check, in milliseconds. If it is 0 or less, the run's time is over. */
  getTimeoutMs(): number
  /**
   * Calls back once this many milliseconds have passed. Returns a function that cancels it.
   * @default in real time
   */
  readonly after?: ((ms: number, callback: () => void) => () => void) | undefined
  /** Called before each check. Returns a finding to report instead of running the check, or `undefined` to run it. */
  decline(check: Kind): Finding | undefined
  /** Called with each result as soon as it is known. */
  onResult(result: CheckResult): void
}

const afterRealTime = (ms: number, callback: () => void): (() => void) => {
  const timer = setTimeout(callback, Math.min(ms, longestTimerMs))
  return () => clearTimeout(timer)
}

/** The finding of a check that the end of the run has cut off, or that never began. */
const cutOff: Finding = {
  verdict: 'inconclusive',
  observed: 'the time for all checks was over; raise --timeout',
}

type TimeLimit = { readonly timeoutMs: number; readonly after: typeof afterRealTime }

const waitAtMost = async (
  { timeoutMs, after }: TimeLimit,
  work: (signal: AbortSignal) => Promise<Finding>,
): Promise<Finding> => {
  const controller = new AbortController()
  const { promise, resolve } = Promise.withResolvers<Finding>()
  const expire = () => resolve(cutOff)
  const cancel = after(timeoutMs, expire)
  try {
    return await Promise.race([work(controller.signal), promise])
  } finally {
    cancel()
    controller.abort(new Error('The check is over.'))
  }
}

/** Runs checks one after another. Checks that have not ended in time are inconclusive. */
export const runChecks = async <Kind extends Check>(
  checks: readonly Kind[],
  { getTimeoutMs, after = afterRealTime, decline, onResult }: RunOptions<Kind>,
): Promise<CheckResult[]> => {
  const results: CheckResult[] = []
  for (const check of checks) {
    const startedAt = performance.now()
    const timeoutMs = getTimeoutMs()
    const finding =
      decline(check) ??
      (timeoutMs <= 0 ? cutOff : await waitAtMost({ timeoutMs, after }, (signal) => check.run(signal)))
    const { id, group, title, severity, clause, risk, fix } = check
    const result: CheckResult = {
      id,
      group,
      title: finding.title ?? title,
      severity: finding.severity ?? severity,
      clause,
      verdict: finding.verdict,
      ...(finding.because && { because: finding.because }),
      expected: finding.expected ?? check.expected,
      observed: finding.observed,
      risk: finding.risk ?? risk,
      fix: finding.fix ?? fix,
      reproduce: finding.reproduce ?? null,
      durationMs: Math.round(performance.now() - startedAt),
    }
    results.push(result)
    onResult(result)
  }
  return results
}
