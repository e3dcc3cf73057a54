import { randomInt } from 'node:crypto'
import { checkNumbers } from '../check-numbers.ts'
import { EffectsError, ExaminationUsageError } from '../errors.ts'
import { buildReport, type CheckResult, type Report } from '../report/report.ts'
import { type Finding, runChecks } from '../report/run-checks.ts'
import { quote } from '../shell.ts'
import { declineCheck, type ListedCheck } from './check.ts'
import { lossRisk } from './checks/handled-once.ts'
import { createExamination, type Examination } from './examination.ts'
import { findHeldResources } from './held-resources.ts'
import { explainLimitOnce } from './judge.ts'
import { createKnowledge, type Knowledge } from './knowledge.ts'
import { createReportHider, hideInExchange } from './leaks.ts'
import type { ExamineEndpointOptions } from './options.ts'
import { controlId, planExamination, selectChecks } from './plan.ts'
import { startRunTime } from './run-time.ts'
import { rawMethod } from './send.ts'
import { startServedClock } from './served-clock.ts'
import { type ExaminationSettings, type Need, readSettings } from './settings.ts'
import { findStuckWorker, noticeRecovery } from './stuck-worker.ts'
import { isNearby } from './target.ts'
import { blameNoRateLimit } from './unavailable.ts'

const defaultTimeoutMs = 60_000
const maxTimeoutMs = 600_000

/** Estimates the maximum duration of a run from its requests so far. The time that checks have waited extends it. */
const estimateMs = (requests: number, { exchanges, waitedMs }: Knowledge): number => {
  if (exchanges.length === 0) return maxTimeoutMs
  const requestMs = exchanges.reduce((sum, { durationMs }) => sum + durationMs, 0) / exchanges.length
  return Math.min(maxTimeoutMs, defaultTimeoutMs + 1.5 * requestMs * requests + waitedMs)
}

const flags: Readonly<Partial<Record<Need, string>>> = {
  signature: '--secret "$WABAKIT_WEBHOOK_SECRET"',
  credentials: '--header "$WABAKIT_HEADER"',
  'previous-secret': '--previous-secret "$WABAKIT_PREVIOUS_SECRET"',
  effects: '--effects "$WABAKIT_EFFECTS"',
}

/** Returns a command that repeats one check. It reads secrets, the effects and the profile from environment variables. */
const writeReproduction = (settings: ExaminationSettings, id: string, seed: number): string =>
  [
    `wabakit doctor ${settings.url.search === '' ? quote(settings.url.href) : '"$WABAKIT_WEBHOOK_URL"'}`,
    ...Array.from(settings.given, (need) => flags[need] ?? []).flat(),
    ...(settings.hasCompleteEffects ? ['--effects-complete'] : []),
    ...(settings.measured.events.length > 0 ? ['--profile "$WABAKIT_PROFILE"'] : []),
    `--repeat ${id} --seed ${seed}`,
  ].join(' ')

/**
 * Names the failure, or the advice, from which others ultimately follow, so that one mistake is reported once. `partial`
 * contains the ids of checks with partial findings, which neither explain others nor follow from one. Only a check that has stopped the
 * endpoint explains a finding that names it.
 */
const nameCauses = (
  results: readonly CheckResult[],
  { partial, stoppedAt }: { partial: ReadonlySet<string>; stoppedAt: string | undefined },
): CheckResult[] => {
  const verdicts = new Map(results.map(({ id, verdict }) => [id, verdict]))
  const causes = new Map(
    selectChecks({}).map(({ id, follows, unless = '' }) => [
      id,
      verdicts.get(unless) === 'fail' ? undefined : follows,
    ]),
  )
  // The cause that a check names in its finding replaces its default cause, if the named check failed or gave advice.
  for (const { id, because = '' } of results) {
    const cause = verdicts.get(because)
    if (cause === 'fail' || cause === 'advice') causes.set(id, because)
  }
  return results.map(({ because: named, ...result }) => {
    if ((result.verdict !== 'fail' && result.verdict !== 'advice') || partial.has(result.id)) return result
    let because: string | undefined
    // A check can be its own cause, because the default of its group applies to it, too.
    const seen = new Set([result.id])
    for (let id = causes.get(result.id); id !== undefined && !seen.has(id); id = causes.get(id)) {
      seen.add(id)
      if (partial.has(id) && !(id === named && id === stoppedAt)) continue
      const cause = verdicts.get(id)
      if (cause === 'fail' || (cause === 'advice' && result.verdict === 'advice')) because = id
    }
    return because === undefined ? result : { ...result, because }
  })
}

/** Replaces a failure that may only show that this machine was busy. */
const blameNoBusyMachine = (finding: Finding, { isStarved, knowledge }: Examination): Finding => {
  if (finding.verdict !== 'fail' || !isStarved()) return finding
  knowledge.leftOpen = true
  return {
    verdict: 'inconclusive',
    observed: `${finding.observed}; this machine was too busy to tell, so run the check again when it is idle`,
  }
}

/**
 * Runs a check again if it saw accepted deliveries without an effect. If some of these have one the second time, they were lost by
 * chance, not because of what they contain, and the first check that saw such a loss explains the others.
 */
const explainLoss = async (
  finding: Finding,
  check: ListedCheck,
  examination: Examination,
): Promise<Finding> => {
  const { knowledge, isStarved } = examination
  const { lost, observed } = finding
  if (lost === undefined) return finding
  const again = await check.run(examination)
  const lostAgain = again.verdict === 'pass' ? [] : (again.lost ?? lost)
  const handled = lost.filter((label) => !lostAgain.includes(label))
  if (handled.length === 0 || isStarved()) return finding
  knowledge.lossByChance ??= knowledge.lossAtOnce ?? check.id
  return {
    ...finding,
    observed: `${observed}; sent again, ${handled.length} of ${lost.length} had an effect: accepted events are lost now and then`,
    risk: lossRisk,
    fix: 'Respond 2xx only after the event is handled or stored durably. Check the result of each write, and let no error go unseen: a database that is locked stores nothing.',
    because: knowledge.lossByChance,
  }
}

/**
 * Runs a check. If the endpoint did not respond, determines whether it still works. A check is `inconclusive` instead of failed
 * if nothing was proven:
 *
 * | cause | decided in |
 * |---|---|
 * | genuine deliveries are refused, or no longer accepted since an earlier check | `declineCheck` in `check.ts` |
 * | the check needs effects, and there are none or they cannot be read | `declineCheck`, and `EffectsError` here |
 * | a rate limit or a firewall answered; or a forgery got no response or, if there are no effects, a 5xx | `judge.ts`, and {@link blameNoRateLimit} |
 * | the time of the run is over | `report/run-checks.ts` |
 * | a failure on a machine that was too busy (`isStarved`) | {@link blameNoBusyMachine} |
 *
 * Single checks add cases of their own. The verdict of the run is inconclusive if `isProven` is false (below).
 */
const runCheck = async (check: ListedCheck, examination: Examination): Promise<Finding> => {
  const { knowledge } = examination
  try {
    await noticeRecovery(examination)
    const found = await blameNoRateLimit(await check.run(examination), check, examination)
    const stuck = await findStuckWorker(check, examination)
    if (stuck !== undefined) return stuck
    const first = blameNoBusyMachine(found, examination)
    const finding = await explainLoss(first, check, examination)
    const isQuiet = examination.exchanges.some(
      ({ status, request }) => status === undefined && request.method !== rawMethod,
    )
    if (isQuiet && knowledge.acceptsGenuine && !check.runsAnyway) await examination.isAlive()
    if (!examination.isDown() || knowledge.downSince !== undefined) return finding
    knowledge.downSince = check.id
    const held = await findHeldResources(examination)
    if (held !== undefined) return blameNoBusyMachine(held, examination)
    // A check that stops the endpoint has found a mistake of its own: the failures that it follows do not stop an endpoint.
    if (finding.verdict === 'fail') return { ...finding, isPartial: true }
    const observed = 'since this check the endpoint accepts no genuine delivery'
    return blameNoBusyMachine({ verdict: 'fail', observed, isPartial: true }, examination)
  } catch (error) {
    if (!(error instanceof EffectsError)) throw error
    knowledge.leftOpen = true
    return { verdict: 'inconclusive', observed: error.message }
  }
}

/**
 * Attacks a webhook endpoint with genuine and hostile deliveries, and reports its mistakes.
 *
 * Genuine deliveries come first. If they are not accepted, every check that depends on them is `inconclusive`: refusals
 * prove nothing if an endpoint refuses everything.
 *
 * @throws ExaminationUsageError when the options are wrong, or the target is public and `allowPublicTarget` is not set.
 * @throws TargetUnreachableError when no connection can be made.
 * @example
 * const report = await examineEndpoint({
 *   url: 'http://127.0.0.1:3000/webhooks',
 *   secret: process.env.WABAKIT_WEBHOOK_SECRET,
 *   effects: 'sqlite3 app.db "select call_id from summaries"',
 * })
 * expect(report).toPass()
 */
export const examineEndpoint = async (options: ExamineEndpointOptions): Promise<Report> => {
  checkNumbers({ timeoutMs: options.timeoutMs, seed: options.seed, ...options.limits })
  const { seed = randomInt(2 ** 32), skip = [] } = options
  using clock = startServedClock()
  const settings = { ...readSettings(options, seed), clock }
  const hide = createReportHider(settings)
  const plan = planExamination(options)
  if (!(await isNearby(settings.url)) && !options.allowPublicTarget) {
    throw new ExaminationUsageError(
      `${plan.target} is neither on this machine nor in a private network. The doctor would send it about ${plan.requests} requests, most of them attacks. If you have permission, pass --yes (in code: allowPublicTarget).`,
    )
  }
  options.onStart?.(plan)
  const knowledge = createKnowledge()
  const partial = new Set<string>()
  const checks = selectChecks(options).map((check) => ({
    ...check,
    run: async (signal: AbortSignal): Promise<Finding> => {
      options.onCheck?.(check.id)
      const onWait = (what: string): void => options.onCheck?.(check.id, what)
      const examination = createExamination(settings, { checkId: check.id, knowledge, signal, onWait })
      try {
        const finding = await runCheck(check, examination)
        if (finding.isPartial) partial.add(check.id)
        const explained = explainLimitOnce(finding.observed, { id: check.id, knowledge })
        const observed = hide(explained)
        return { ...finding, observed, reproduce: writeReproduction(settings, check.id, seed) }
      } finally {
        for (const exchange of examination.exchanges) {
          options.onExchange?.(check.id, hideInExchange(exchange, hide))
        }
      }
    },
  }))
  let isCutShort = false
  const time = startRunTime({
    clock,
    timeoutMs: options.timeoutMs,
    estimateMs: () => estimateMs(plan.requests, knowledge),
  })
  const results = await runChecks(checks, {
    getTimeoutMs: () => {
      const leftMs = time.getLeftMs()
      isCutShort ||= leftMs <= 0
      return leftMs
    },
    // A check may run until the time of the run is over. After the last one, `getTimeoutMs` is not called again.
    after: (ms, expire) =>
      time.after(ms, () => {
        isCutShort = true
        expire()
      }),
    decline: (check) => declineCheck(check, { settings, knowledge, skip }),
    onResult: (result) => options.onResult?.(result),
  })
  const proving = new Set(checks.flatMap(({ id, isProof }) => (isProof ? [id] : [])))
  const isUnproven = results.some(({ id, verdict }) => proving.has(id) && verdict === 'inconclusive')
  // The run of a single check, as with `--repeat`, proves nothing if that check is inconclusive.
  const examined = results.filter(({ id, verdict }) => id !== controlId && verdict !== 'skipped')
  const isEmpty = examined.length > 0 && examined.every(({ verdict }) => verdict === 'inconclusive')
  return buildReport({
    target: plan.target,
    seed,
    checks: nameCauses(results, { partial, stoppedAt: knowledge.downSince }),
    isProven:
      knowledge.acceptsGenuine === true && !isCutShort && !knowledge.leftOpen && !isUnproven && !isEmpty,
  })
}
