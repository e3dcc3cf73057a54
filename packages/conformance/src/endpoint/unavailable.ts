import { setTimeout as sleep } from 'node:timers/promises'
import type { Finding } from '../report/run-checks.ts'
import type { ListedCheck } from './check.ts'
import type { Examination } from './examination.ts'
import { isBeyondAscii, keepsEveryLetter, limited } from './judge.ts'
import { type Exchange, isAccepted } from './send.ts'

/** The groups of checks whose requests have a correct signature. A sender sends such a request again after a 503. */
const signedGroups: readonly string[] = ['genuine', 'repeated', 'ordered', 'hostile']

const rounds = 3
/** Maximum number of requests that are sent again. */
const maxSuspects = 10
const maxPauseMs = 10_000

/**
 * Returns the requests of a check that get a 503 each time, although a usual delivery before and after is accepted. The endpoint fails
 * at what they contain: a rate limit would refuse the usual ones, too.
 */
const findUnavailable = async (examination: Examination): Promise<Exchange[]> => {
  const { prepare, deliver, send, limits, knowledge, signal } = examination
  const isUsualAccepted = async (): Promise<boolean> => isAccepted(await deliver(await prepare()))
  let suspects = examination.exchanges.filter(({ status }) => status === 503).slice(0, maxSuspects)
  for (let round = 0; round < rounds && suspects.length > 0; round += 1) {
    if (!(await isUsualAccepted())) return []
    const asked = suspects.map(({ headers }) => 1_000 * (Number(headers['retry-after']) || 0))
    const pauseMs = Math.min(maxPauseMs, Math.max(limits.recoverMs, ...asked))
    knowledge.waitedMs += pauseMs
    await sleep(pauseMs, undefined, { signal }).catch(() => {})
    const repeated: Exchange[] = []
    for (const { request } of suspects) {
      repeated.push(await send({ ...request, agent: undefined }, limits.responseMs))
    }
    suspects = repeated.filter(({ status }) => status === 503)
    if (!(await isUsualAccepted())) return []
  }
  return suspects
}

/** Replaces a finding that blames a rate limit by a failure if the endpoint responds 503 to some contents, however often they are sent. */
export const blameNoRateLimit = async (
  finding: Finding,
  { group }: Pick<ListedCheck, 'group'>,
  examination: Examination,
): Promise<Finding> => {
  if (finding.verdict !== 'inconclusive' || !finding.observed.includes(limited)) return finding
  if (!signedGroups.includes(group)) return finding
  const count = examination.exchanges.filter(({ status }) => status === 503).length
  const unavailable = await findUnavailable(examination)
  if (unavailable.length === 0) return finding
  const which = unavailable.length === count ? '' : ` to ${unavailable.length} of them`
  const observed = finding.observed.replace(
    `; ${limited}`,
    `,${which} each time it is sent, while other events are accepted`,
  )
  const because = unavailable.every(({ request }) => isBeyondAscii(request)) ? keepsEveryLetter : undefined
  return {
    verdict: 'fail',
    observed,
    because,
    risk: 'The sender repeats the event for days, each time in vain.',
    fix: "Look in the endpoint's log for the error, and mend its cause. 503 is right only for what may succeed later.",
  }
}
