import { checkNumbers } from '../check-numbers.ts'
import { ExaminationUsageError, TargetUnreachableError } from '../errors.ts'
import { checkName } from '../names.ts'
import { buildReport, type Report } from '../report/report.ts'
import { type Finding, runChecks } from '../report/run-checks.ts'
import { buildFetch, createLab } from './lab.ts'
import { createRandomRules } from './random/random-checks.ts'
import { agreementRules } from './rules/agreement-rules.ts'
import { callEventRules } from './rules/call-event-rules.ts'
import { controlId, controlRules, createRules } from './rules/create-rules.ts'
import { createStatusRules } from './rules/create-statuses.ts'
import { errorRules } from './rules/error-rules.ts'
import { fetchRules } from './rules/fetch-rules.ts'
import { groupEventRules } from './rules/group-event-rules.ts'
import { keyRules } from './rules/key-rules.ts'
import { limitRules } from './rules/limit-rules.ts'
import { permissionRules } from './rules/permission-rules.ts'
import { runEventRules } from './rules/run-event-rules.ts'
import { runRules } from './rules/run-rules.ts'
import { summaryFieldRules } from './rules/summary-fields.ts'
import { summaryRules } from './rules/summary-rules.ts'
import { webhookRules } from './rules/webhook-rules.ts'
import { createScenes } from './scenes.ts'
import type { ServerExamination } from './server-examination.ts'
import { type Examination, type RuleCheck, type ServerRules, toCheck } from './server-rule.ts'
import { readSettings } from './settings.ts'
import { listen } from './webhooks/listen.ts'

/** Checks that prove nothing if even a valid request is refused. */
const needsControl = /^(?:create|events|webhooks|random)\./

const fixedRules: ServerRules = {
  ...createStatusRules,
  ...permissionRules,
  ...keyRules,
  ...createRules,
  ...fetchRules,
  ...groupEventRules,
  ...callEventRules,
  ...summaryRules,
  ...summaryFieldRules,
  ...agreementRules,
  ...webhookRules,
}

/** Rules that are examined last because they judge all other exchanges or use up the rate limits. */
const lastRules: ServerRules = { ...runRules, ...runEventRules, ...errorRules, ...limitRules }

/** Returns a function that selects rules by id prefix. The positive control is always selected. */
const createSelection = (only: readonly string[] | undefined) => {
  const randomRules = createRandomRules({ seed: 0, minutes: 0 })
  const ids = Object.keys({ ...controlRules, ...fixedRules, ...randomRules, ...lastRules })
  const matches = (id: string, start: string): boolean => id === start || id.startsWith(`${start}.`)
  const unknown = only?.find((start) => !ids.some((id) => matches(id, start)))
  if (unknown !== undefined)
    throw new ExaminationUsageError(
      `There is no check ${JSON.stringify(unknown)}. Pass ids such as create.subject.empty-is-400, or their beginnings, such as create.subject.`,
    )
  return (rules: ServerRules) =>
    Object.entries(rules).filter(
      ([id]) => only === undefined || id === controlId || only.some((start) => matches(id, start)),
    )
}

/**
 * Examines a server: sends requests, receives webhooks, and compares the responses and the webhooks with the
 * specification.
 *
 * @throws ExaminationUsageError if `only` names a check that does not exist.
 * @throws TargetUnreachableError if the server, or the control API in `wabakitControl`, does not respond.
 * @example
 * const report = await examineServer({ baseUrl: 'http://127.0.0.1:4100', wabakitControl: 'http://127.0.0.1:4100' })
 * process.exitCode = exitCodes[report.verdict]
 */
export const examineServer = async (options: ServerExamination): Promise<Report> => {
  checkNumbers({
    minutes: options.minutes,
    timeoutMs: options.timeoutMs,
    retryTimeoutMs: options.retryTimeoutMs,
    quietMs: options.quietMs,
    seed: options.seed,
  })
  const { seed = Math.floor(Math.random() * 2 ** 31), onResult = () => {} } = options
  const select = createSelection(options.only)
  const address = options.listen ?? (options.wabakitControl === undefined ? undefined : '127.0.0.1:0')
  const listener = address === undefined ? undefined : await listen(address)
  let remove: (() => Promise<void>) | undefined
  try {
    if (listener !== undefined) await options.onListening?.(listener.url)
    const settings = await readSettings(options, listener)
    remove = settings.remove
    const { minutes, timeoutMs, retryTimeoutMs } = settings
    const lab = createLab(settings)
    // `fetch` would block threads of this process, and with them its other lookups, if the name gets no answer.
    if (options.fetch === undefined) {
      await checkName(lab.baseUrl).catch((error: Error) => {
        throw new TargetUnreachableError(`No response from ${lab.baseUrl}: ${error.message}.`, {
          cause: error,
        })
      })
    }
    const { response } = await lab.send(buildFetch('reachable', { key: 'none' }))
    if (response.status === 0) {
      throw new TargetUnreachableError(
        `No response from ${lab.baseUrl}: ${response.text}. Check that the server runs there.`,
      )
    }

    const examination: Examination = { lab, scenes: createScenes(lab) }
    let controlPassed = false
    const decline = (check: RuleCheck): Finding | undefined => {
      const missing = check.needs.filter((need) => !lab.has.has(need))
      if (missing.length > 0) return { verdict: 'skipped', observed: `needs ${missing.join(' and ')}` }
      if (controlPassed || check.id === controlId || !needsControl.test(check.id)) return undefined
      return {
        verdict: 'inconclusive',
        observed: `${controlId} failed: if valid requests are refused, this check proves nothing`,
      }
    }
    const run = async (rules: ServerRules, extraMs = 0) => {
      const timeout = (timeoutMs + retryTimeoutMs) * 4 + extraMs
      const checks = select(rules).map((rule) => toCheck(rule, examination))
      return runChecks(checks, { getTimeoutMs: () => timeout, decline, onResult })
    }

    const allRules = { ...controlRules, ...fixedRules, ...createRandomRules({ seed, minutes }), ...lastRules }
    options.onStart?.({ checks: select(allRules).length })
    const control = await run(controlRules)
    controlPassed = control[0]?.verdict === 'pass'
    const needsScenes = select(fixedRules).some(
      ([, { needs = [] }]) => needs.includes('--listen') || needs.includes('--play'),
    )
    if (controlPassed && needsScenes) examination.scenes.start()
    const checks = [
      ...control,
      ...(await run(fixedRules)),
      ...(await run(createRandomRules({ seed, minutes }), minutes * 60_000)),
      ...(await run(lastRules)),
    ]
    const report = buildReport({
      tool: 'acceptance',
      target: lab.baseUrl,
      seed,
      checks,
      isProven: controlPassed,
      isStrict: options.strict,
    })
    // Keeps the organization, because failed requests can be repeated only while it exists.
    if (report.counts.fail + report.counts.advice > 0) remove = undefined
    return report
  } finally {
    await remove?.().catch(() => {})
    await listener?.close()
  }
}
