import type { Check, Finding } from '../report/run-checks.ts'
import type { Examination } from './examination.ts'
import type { Knowledge } from './knowledge.ts'
import type { ExaminationSettings, Need } from './settings.ts'

/** The settings that determine how many requests a check sends. */
type PlannedRun = Pick<ExaminationSettings, 'given' | 'limits' | 'measured'>

export type EndpointCheck = Omit<Check, 'id' | 'group' | 'run'> & {
  /** Number of requests to a correct endpoint. @default 0 */
  readonly requests?: number | ((run: PlannedRun) => number)
  readonly needs?: readonly Need[]
  /** Set if the check has a result even when the endpoint refuses genuine deliveries or no longer responds. */
  readonly runsAnyway?: boolean
  /** Set if the run proves nothing about once-only handling while this check is inconclusive. */
  readonly isProof?: boolean
  /** The id of a check whose failure explains that of this one. If `undefined` is given, the default of a group is not used. */
  readonly follows?: string | undefined
  /** The id of a check whose failure explains that of the followed check, but not that of this one, which then follows nothing. */
  readonly unless?: string
  /** Set if the check needs the requests and the time of the others. */
  readonly runsLast?: boolean
  run(examination: Examination): Promise<Finding> | Finding
}

/** Counts the requests that checks send to a correct endpoint. */
export const countRequests = (checks: readonly Pick<EndpointCheck, 'requests'>[], run: PlannedRun): number =>
  checks.reduce((sum, { requests = 0 }) => sum + (typeof requests === 'number' ? requests : requests(run)), 0)

export type EndpointChecks = Readonly<Record<string, EndpointCheck>>

export type ListedCheck = EndpointCheck & Pick<Check, 'id' | 'group'>

/**
 * Reasons for skipping a check that lacks a prerequisite. A check that needs effects is inconclusive without them, not
 * skipped.
 */
const reasons: Readonly<Partial<Record<Need, string>>> = {
  signature: 'needs --secret: the sender is known by a header or the URL',
  credentials: 'needs --header or --basic: the sender is known otherwise',
  'url-token': 'needs a URL with a token alone: the sender is known otherwise',
  'previous-secret': 'needs --previous-secret',
}

/** Returns why a check would prove nothing, or `undefined` if it can run. */
export const declineCheck = (
  { id, needs = [], runsAnyway }: Omit<ListedCheck, 'run'>,
  {
    settings,
    knowledge,
    skip,
  }: { settings: ExaminationSettings; knowledge: Knowledge; skip: readonly string[] },
): Finding | undefined => {
  if (skip.includes(id)) return { verdict: 'skipped', observed: 'left out by --skip' }
  const missing = needs.find((need) => reasons[need] !== undefined && !settings.given.has(need))
  if (missing !== undefined) return { verdict: 'skipped', observed: reasons[missing] ?? missing }
  if (runsAnyway) return undefined
  const inconclusive = (observed: string): Finding => ({ verdict: 'inconclusive', observed })
  if (!knowledge.acceptsGenuine) {
    const isRefused = knowledge.acceptsGenuine === false
    const problem = isRefused ? 'genuine deliveries are not accepted' : knowledge.controlProblem
    return inconclusive(`${problem}: see accepts-genuine`)
  }
  if (knowledge.downSince !== undefined) {
    return inconclusive(`the endpoint has accepted no genuine delivery since ${knowledge.downSince}`)
  }
  if (!needs.includes('effects')) return undefined
  if (!settings.given.has('effects')) {
    return inconclusive('a status code cannot prove this; pass --effects <command or URL>')
  }
  return knowledge.effectName === undefined ? inconclusive(knowledge.effectsProblem) : undefined
}
