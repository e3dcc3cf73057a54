import type { Finding } from '../report/run-checks.ts'
import type { Exchange } from './send.ts'

/** One of the requests of a check. */
export type Attempt = {
  /** What is special about it, as part of a sentence: `a signature of another secret`. */
  readonly label: string
  readonly exchange: Exchange
}

/** Checks whether a response acknowledges the delivery. */
export const isAccepted = ({ status }: Exchange): boolean =>
  status !== undefined && status >= 200 && status < 300

/** Checks whether a response says only that there are too many requests. */
export const isLimited = ({ status }: Exchange): boolean => status === 429 || status === 503

const isRefused = (exchange: Exchange): boolean =>
  exchange.status !== undefined && exchange.status >= 400 && exchange.status < 500 && !isLimited(exchange)

const isFailure = (exchange: Exchange): boolean =>
  exchange.status !== undefined && exchange.status >= 500 && !isLimited(exchange)

/** Describes a response in a word or two. */
export const describeResponse = ({ status, error }: Exchange): string =>
  status === undefined ? `no response (${error})` : String(status)

/** Describes attempts by response: `200 to an extra field; 500 to an unknown event`. */
export const describeAttempts = (attempts: readonly Attempt[]): string => {
  const byResponse = Map.groupBy(attempts, ({ exchange }) => describeResponse(exchange))
  return [...byResponse]
    .map(([response, same]) => `${response} to ${same.map(({ label }) => label).join(', ')}`)
    .join('; ')
}

const describeStatuses = (attempts: readonly Attempt[]): string =>
  [...new Set(attempts.map(({ exchange }) => describeResponse(exchange)))].join(', ')

const limited = 'the endpoint limits the rate of requests, which proves nothing; raise its limit for the run'

/** Judges deliveries that must be refused with a client error. A closed connection proves nothing. */
export const judgeRefused = (attempts: readonly Attempt[]): Finding => {
  const pick = (test: (exchange: Exchange) => boolean) => attempts.filter(({ exchange }) => test(exchange))
  const accepted = pick(isAccepted)
  if (accepted.length > 0) return { verdict: 'fail', observed: describeAttempts(accepted) }
  const failed = pick(isFailure)
  if (failed.length > 0) {
    const observed = `the endpoint failed instead of refusing: ${describeAttempts(failed)}`
    return { verdict: 'fail', observed }
  }
  const unclear = pick((exchange) => !isRefused(exchange))
  if (unclear.length === 0) return { verdict: 'pass', observed: describeStatuses(attempts) }
  const reason = unclear.some(({ exchange }) => isLimited(exchange)) ? `; ${limited}` : ''
  return { verdict: 'inconclusive', observed: `${describeAttempts(unclear)}${reason}` }
}

/** Judges genuine deliveries, which must be accepted. */
export const judgeAccepted = (attempts: readonly Attempt[]): Finding => {
  const refused = attempts.filter(({ exchange }) => !isAccepted(exchange))
  if (refused.length === 0) return { verdict: 'pass', observed: describeStatuses(attempts) }
  if (refused.every(({ exchange }) => isLimited(exchange))) {
    return { verdict: 'inconclusive', observed: `${describeAttempts(refused)}; ${limited}` }
  }
  return { verdict: 'fail', observed: describeAttempts(refused) }
}

/** Returns the finding, turned into advice when it is a failure. */
export const softenToAdvice = (finding: Finding): Finding =>
  finding.verdict === 'fail' ? { ...finding, verdict: 'advice' } : finding
