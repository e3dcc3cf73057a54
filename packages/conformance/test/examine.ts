import {
  type CheckResult,
  type ExamineEndpointOptions,
  examineEndpoint,
  type Report,
} from '@wabakit/conformance'
import { type Endpoint, previousSecret, secret } from './endpoint.ts'

/** Seed of all examinations in these tests. */
export const seed = 42

/** Time limits short enough for loopback and long enough for a busy machine. */
export const limits = {
  attackMs: 5_000,
  settleMs: 40,
  firstEffectMs: 1_000,
  effectMs: 400,
  recoverMs: 300,
  memoryMs: 600,
  retryMs: 600,
  oversizedBytes: 1_200_000,
  burst: 25,
  slowConnections: 6,
} as const

/** Examines an endpoint of these tests with its two secrets and its effects. */
export const examine = (endpoint: Endpoint, options: Partial<ExamineEndpointOptions> = {}): Promise<Report> =>
  examineEndpoint({
    url: endpoint.url,
    secret,
    previousSecret,
    effects: () => endpoint.effects.join('\n'),
    seed,
    timeoutMs: 1_000_000,
    ...options,
    limits: { ...limits, ...options.limits },
  })

/** Repeats an examination of a new endpoint, at most 4 times, while this machine was too busy for one of its checks. */
export const examineUndisturbed = async (examineNew: () => Promise<Report>): Promise<Report> => {
  let report = await examineNew()
  for (let repeats = 0; repeats < 4; repeats += 1) {
    if (!report.checks.some(({ observed }) => observed.includes('too busy to tell'))) break
    report = await examineNew()
  }
  return report
}

const list = ({ checks }: Report, verdict: CheckResult['verdict']): string[] =>
  checks.flatMap((check) => (check.verdict === verdict ? [check.id] : [])).sort()

/** Lists the ids of failed checks and of checks with advice, in alphabetical order. */
export const listFindings = (report: Report) => ({
  fail: list(report, 'fail'),
  advice: list(report, 'advice'),
})
