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
  oversizedBytes: 1_200_000,
  burst: 25,
  slowConnections: 6,
} as const

/** Examines an endpoint of these tests with every option of the doctor. */
export const examine = (
  { url, effects }: Endpoint,
  options: Partial<ExamineEndpointOptions> = {},
): Promise<Report> =>
  examineEndpoint({
    url,
    secret,
    previousSecret,
    effects: () => effects.join('\n'),
    seed,
    timeoutMs: 1_000_000,
    ...options,
    limits: { ...limits, ...options.limits },
  })

const list = ({ checks }: Report, verdict: CheckResult['verdict']): string[] =>
  checks.flatMap((check) => (check.verdict === verdict ? [check.id] : [])).sort()

/** Lists the ids of failed checks and of checks with advice, in alphabetical order. */
export const listFindings = (report: Report) => ({
  fail: list(report, 'fail'),
  advice: list(report, 'advice'),
})
