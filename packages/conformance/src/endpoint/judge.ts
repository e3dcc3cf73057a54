import type { Finding } from '../report/run-checks.ts'
import type { Examination } from './examination.ts'
import type { Knowledge } from './knowledge.ts'
import type { Delivery } from './payloads.ts'
import {
  type Exchange,
  isAccepted,
  isFirewalled,
  isLimited,
  isShielded,
  type OutgoingRequest,
} from './send.ts'

/** A request of a check, and its response. */
export type Attempt = {
  /** A phrase that distinguishes the request from the others: `a signature with a random secret`. */
  readonly label: string
  /** The parts of the label, if many attempts differ in their combination. */
  readonly traits?: readonly string[] | undefined
  readonly exchange: Exchange
  /** The delivery, if effects can show whether it was handled. */
  readonly delivery?: Delivery
  /** Number of effects that the delivery already had. @default 0 */
  readonly effectsBefore?: number
}

/** Sends a request for each label, one after another. */
export const sendEach = async <Variation>(
  variations: Readonly<Record<string, Variation>>,
  send: (variation: Variation) => Promise<Omit<Attempt, 'label'>>,
): Promise<Attempt[]> => {
  const attempts: Attempt[] = []
  for (const [label, variation] of Object.entries(variations)) {
    attempts.push({ label, ...(await send(variation)) })
  }
  return attempts
}

/** Sends deliveries concurrently. Returns all exchanges, the accepted deliveries, and those that the sender must send later. */
export const deliverAtOnce = async (
  { deliver }: Examination,
  deliveries: readonly Delivery[],
): Promise<
  Readonly<Record<'accepted' | 'limited', readonly Delivery[]>> & { exchanges: readonly Exchange[] }
> => {
  const sent = await Promise.all(
    deliveries.map(async (delivery) => ({ delivery, exchange: await deliver(delivery) })),
  )
  return {
    exchanges: sent.map(({ exchange }) => exchange),
    accepted: sent.flatMap(({ delivery, exchange }) => (isAccepted(exchange) ? [delivery] : [])),
    limited: sent.flatMap(({ delivery, exchange }) => (isLimited(exchange) ? [delivery] : [])),
  }
}

/** Returns whether the endpoint refused a request. A redirect refuses it, too, because a sender does not follow it. */
export const isRefused = (exchange: Exchange): boolean =>
  exchange.status !== undefined && exchange.status >= 300 && exchange.status < 500 && !isShielded(exchange)

export const isFailure = (exchange: Exchange): boolean =>
  exchange.status !== undefined && exchange.status >= 500 && !isLimited(exchange)

export const describeResponse = ({ status, error }: Exchange): string =>
  status === undefined ? `no response (${error})` : String(status)

const maxNamed = 3

/** Names attempts. Of many with traits, names what all share, and three. */
const nameAttempts = (attempts: readonly Attempt[]): string => {
  const labels = attempts.map(({ label }) => label)
  const [first, ...others] = attempts.map(({ traits }) => traits)
  if (first === undefined || labels.length <= maxNamed) return labels.join(', ')
  const shared = first.filter((trait) => others.every((each) => each?.includes(trait)))
  const all = shared.length === 0 ? '' : ` all of them ${shared.join(' ')},`
  return `${labels.length} kinds,${all} such as ${labels.slice(0, maxNamed).join(', ')}`
}

/** Describes attempts, grouped by response: `200 to an extra field; 500 to an unknown event`. */
export const describeAttempts = (attempts: readonly Attempt[]): string => {
  const byResponse = Map.groupBy(attempts, ({ exchange }) => describeResponse(exchange))
  return [...byResponse].map(([response, same]) => `${response} to ${nameAttempts(same)}`).join('; ')
}

const describeStatuses = (attempts: readonly Attempt[]): string =>
  [...new Set(attempts.map(({ exchange }) => describeResponse(exchange)))].join(', ')

/** The reason of a finding that a rate limit has made inconclusive. */
export const limited =
  'the endpoint limits the rate of requests, which proves nothing; raise its limit for the run'

/** Explains a rate limit in the first finding about it, to which the later ones refer. */
export const explainLimitOnce = (
  observed: string,
  { id, knowledge }: { id: string; knowledge: Knowledge },
): string => {
  if (!observed.includes(limited)) return observed
  knowledge.limitedAt ??= id
  return id === knowledge.limitedAt ? observed : observed.replace(limited, `see ${knowledge.limitedAt}`)
}

const firewalled = 'a firewall has answered instead, which proves nothing; let this machine pass for the run'

/** Explains that a firewall or a rate limit responded, so the endpoint did not decide. */
export const explainShield = (exchanges: readonly Exchange[]): string | undefined => {
  if (exchanges.some(isFirewalled)) return firewalled
  return exchanges.some(isLimited) ? limited : undefined
}

/** Returns whether effects show that one of several attempts was handled; `undefined` if effects cannot show it. */
const isAnyHandled = async (
  { knowledge, countEffects }: Examination,
  attempts: readonly Attempt[],
): Promise<boolean | undefined> => {
  const deliveries = attempts.flatMap(({ delivery }) => delivery ?? [])
  if (knowledge.effectName === undefined || deliveries.length < attempts.length) return undefined
  const counts = await countEffects(deliveries, 0)
  return counts.some((count, index) => count > (attempts[index]?.effectsBefore ?? 0))
}

/** Describes deliveries of which none was handled, although some may have been before. */
const describeUnhandled = (attempts: readonly Attempt[]): string => {
  const repeated = attempts.filter(({ effectsBefore = 0 }) => effectsBefore > 0).length
  if (repeated === 0) return 'none was handled'
  return repeated === attempts.length ? 'none was handled again' : 'none had an effect of its own'
}

/** Judges deliveries that were wrongly accepted. The verdict is advice if effects prove that none was handled. */
const judgeWronglyAccepted = async (
  examination: Examination,
  accepted: readonly Attempt[],
): Promise<Finding> => {
  const { knowledge } = examination
  const observed = describeAttempts(accepted)
  if ((await isAnyHandled(examination, accepted)) !== false) return { verdict: 'fail', observed }
  // `handles-nothing-it-refuses` finds effects that appear later.
  for (const { delivery, effectsBefore = 0 } of accepted) {
    if (delivery !== undefined && effectsBefore === 0) knowledge.refusedSubjects.add(delivery.subject)
  }
  return { verdict: 'advice', observed: `${observed}, but ${describeUnhandled(accepted)}` }
}

/** The check that reports an endpoint which responds 5xx to what it refuses. */
export const refusesWithoutFailing = 'refuses-without-failing'

/** Judges deliveries that must be refused. A redirect refuses them, too; a closed connection proves nothing. */
export const judgeRefused = async (
  examination: Examination,
  attempts: readonly Attempt[],
): Promise<Finding> => {
  const pick = (test: (exchange: Exchange) => boolean) => attempts.filter(({ exchange }) => test(exchange))
  const accepted = pick(isAccepted)
  const harmless = accepted.length > 0 ? await judgeWronglyAccepted(examination, accepted) : undefined
  if (harmless?.verdict === 'fail') return harmless
  const failed = pick(isFailure)
  if (failed.length > 0) {
    const observed = `the endpoint failed instead of refusing: ${describeAttempts(failed)}`
    return { verdict: 'fail', observed, because: refusesWithoutFailing }
  }
  if (harmless !== undefined) return harmless
  const unclear = pick((exchange) => !isRefused(exchange))
  if (unclear.length === 0) return { verdict: 'pass', observed: describeStatuses(attempts) }
  const reason = explainShield(unclear.map(({ exchange }) => exchange))
  const observed = [describeAttempts(unclear), reason].filter(Boolean).join('; ')
  return { verdict: 'inconclusive', observed }
}

/** Says what could show that a delivery was handled, or was not. */
export const explainLackOfEffects = ({ given, knowledge }: Examination, what = 'handled'): string =>
  given.has('effects') && knowledge.effectName === undefined
    ? knowledge.effectsProblem
    : `only --effects <command or URL> can show that it was ${what}`

/** Judges forgeries at which the endpoint failed, by whether effects show that it handled them. */
export const judgeFailed = async (examination: Examination, failed: readonly Attempt[]): Promise<Finding> => {
  const observed = describeAttempts(failed)
  const isHandled = await isAnyHandled(examination, failed)
  if (isHandled === undefined) {
    const reason = explainLackOfEffects(examination, 'not handled')
    return { verdict: 'inconclusive', observed: `${observed}; ${reason}` }
  }
  return isHandled
    ? { verdict: 'fail', observed: `${observed}, which was handled` }
    : { verdict: 'pass', observed: `${observed}; ${describeUnhandled(failed)}` }
}

/**
 * Judges forgeries. One that makes the endpoint fail was not acknowledged, so it does not count as accepted. If others are, the
 * finding names both: an endpoint that verifies nothing may fail at what it cannot read. Otherwise, {@link refusesWithoutFailing}
 * reports all that fail as one mistake.
 */
export const judgeForged = async (
  examination: Examination,
  attempts: readonly Attempt[],
): Promise<Finding> => {
  const { knowledge } = examination
  const failed = attempts.filter(({ exchange }) => isFailure(exchange))
  const refused = attempts.filter(({ exchange }) => !isFailure(exchange))
  knowledge.refusesForgery ||= refused.some(({ exchange }) => isRefused(exchange))
  const finding = await judgeRefused(examination, refused)
  if (failed.length === 0) return finding
  if (finding.verdict === 'fail') {
    return { ...finding, observed: `${finding.observed}; ${describeAttempts(failed)}` }
  }
  knowledge.failedForgeries.push(...failed)
  const failure = await judgeFailed(examination, failed)
  if (failure.verdict === 'fail') return failure
  if (failure.verdict === 'pass' && finding.verdict !== 'pass') return finding
  return { ...failure, observed: `${failure.observed}; see ${refusesWithoutFailing}` }
}

/** The check that reports an endpoint which fails at letters of other scripts or markup, or changes them. */
export const keepsEveryLetter = 'keeps-every-letter'

/** Returns whether a body has a character beyond ASCII, which JSON may also write as an escape. */
export const isBeyondAscii = ({ body }: OutgoingRequest): boolean =>
  /[^\0-\x7f]|\\u(?!00[0-7])[\da-f]{4}/i.test(Buffer.from(body).toString())

/** The check that reports an endpoint which verifies what its parser has made of the body. */
export const refusesSignatureOfParsedBody = 'refuses-signature-of-parsed-body'

/** Returns whether an endpoint did not recognize the sender. A refusal with another status does not show that. */
export const isUnauthorized = ({ status }: Exchange): boolean => status === 401 || status === 403

export const judgeAccepted = (attempts: readonly Attempt[]): Finding => {
  const refused = attempts.filter(({ exchange }) => !isAccepted(exchange))
  if (refused.length === 0) return { verdict: 'pass', observed: describeStatuses(attempts) }
  if (refused.every(({ exchange }) => isShielded(exchange))) {
    const reason = explainShield(refused.map(({ exchange }) => exchange))
    return { verdict: 'inconclusive', observed: `${describeAttempts(refused)}; ${reason}` }
  }
  const observed = describeAttempts(refused)
  const failsAtLetters = refused.every(
    ({ exchange }) => isFailure(exchange) && isBeyondAscii(exchange.request),
  )
  return { verdict: 'fail', observed, ...(failsAtLetters && { because: keepsEveryLetter }) }
}

/** Expects every delivery of a summary to be accepted and, if the effects show summaries, handled. */
export const judgeHandled = async (
  examination: Examination,
  attempts: readonly Attempt[],
  lack?: string,
): Promise<Finding> => {
  const finding = judgeAccepted(attempts)
  if (finding.verdict !== 'pass' || examination.knowledge.effectName !== 'CALL_AI_SUMMARY') return finding
  return judgeAllHandled(examination, attempts, lack)
}

/** Expects an effect of every accepted delivery. `lack` says what it means that there is none: an effect is found by its id. */
export const judgeAllHandled = async (
  examination: Examination,
  attempts: readonly Attempt[],
  lack = 'not handled',
): Promise<Finding> => {
  const deliveries = attempts.flatMap(({ delivery }) => delivery ?? [])
  const handled = await examination.areHandled(deliveries)
  const lost = attempts.filter((_, index) => handled[index] === false)
  if (lost.length === 0) {
    return { verdict: 'pass', observed: `${describeStatuses(attempts)}; each was handled` }
  }
  return {
    verdict: 'fail',
    observed: `accepted, but ${lack}: ${nameAttempts(lost)}`,
    lost: lost.map(({ label }) => label),
  }
}

/** Describes deliveries that had several effects before any of them was repeated. */
export const describeDoubled = (
  lines: readonly number[],
  { linesPerEffect }: Knowledge,
): string | undefined => {
  const counts = lines.map((count) => Math.ceil(count / linesPerEffect))
  const most = Math.max(...counts)
  const doubled = counts.filter((count) => count > 1).length
  return most > 1
    ? `${doubled} of ${counts.length} deliveries that were sent once had up to ${most} effects: either two workers take the same job, or --effects prints several lines for it`
    : undefined
}

/** Judges whether a delivery had exactly one effect. `sent` describes its requests. */
export const judgeOnce = async (
  { countEffectsOf, exchanges, knowledge }: Examination,
  delivery: Delivery,
  sent: string,
  because?: string,
): Promise<Finding> => {
  const count = Math.ceil((await countEffectsOf(delivery)) / knowledge.linesPerEffect)
  const observed = `${sent} had ${count} ${count === 1 ? 'effect' : 'effects'}`
  const attempts = exchanges.filter(({ request }) => request.body === delivery.body)
  const reason = attempts.some(isAccepted) ? undefined : explainShield(attempts)
  if (count === 0 && reason !== undefined) {
    return { verdict: 'inconclusive', observed: `${observed}; ${reason}` }
  }
  return count === 1
    ? { verdict: 'pass', observed }
    : {
        verdict: 'fail',
        observed,
        because: count > 1 ? (knowledge.doubledAt ?? because) : knowledge.lossByChance,
      }
}

/** Judges an attack by whether the endpoint still accepts a genuine delivery afterwards. */
export const judgeSurvived = async ({ isAlive }: Examination, observed: string): Promise<Finding> =>
  (await isAlive())
    ? { verdict: 'pass', observed: `${observed}; still accepts genuine deliveries` }
    : { verdict: 'fail', observed: `${observed}; afterwards it accepts no genuine delivery` }

/** Explains why an event that left no effect of its own need not be lost. */
export const explainOneRecord = (name: string): string =>
  `${name} left no effect of its own: the application keeps one record, or it lost the event; let --effects print a line for each event`
