import { ExaminationUsageError } from '../errors.ts'
import type { Severity } from '../report/report.ts'
import { countRequests, type EndpointChecks, type ListedCheck } from './check.ts'
import { behaviorChecks } from './checks/behavior.ts'
import { concurrentChecks } from './checks/concurrent.ts'
import { forgedChecks } from './checks/forged.ts'
import { formChecks } from './checks/forms.ts'
import { genuineChecks } from './checks/genuine.ts'
import { hostileBodyChecks } from './checks/hostile-bodies.ts'
import { hostileConnectionChecks } from './checks/hostile-connections.ts'
import { identifiedChecks } from './checks/identified.ts'
import { keptChecks } from './checks/kept.ts'
import { keptValueChecks } from './checks/kept-values.ts'
import { orderedChecks } from './checks/ordered.ts'
import { participantChecks } from './checks/participants.ts'
import { repeatedChecks } from './checks/repeated.ts'
import { replayedChecks } from './checks/replayed.ts'
import { variedChecks } from './checks/varied.ts'
import { defaultLimits, type ExaminationPlan, type ExamineEndpointOptions } from './options.ts'
import { listGiven, listMeasured } from './settings.ts'
import { formatTarget, readTarget } from './target.ts'

/** The positive control, which is part of every run that does not skip it: without it, a refusal proves nothing. */
export const controlId = 'accepts-genuine'

/** Runs next, because an endpoint that fails this check has to be mended before effects prove anything. */
const secondId = 'survives-missing-predecessor'

const groups: Readonly<Record<string, EndpointChecks>> = {
  genuine: {
    ...concurrentChecks,
    ...genuineChecks,
    ...formChecks,
    ...variedChecks,
    ...keptChecks,
    ...keptValueChecks,
  },
  forged: forgedChecks,
  replayed: replayedChecks,
  repeated: { ...repeatedChecks, ...identifiedChecks, ...participantChecks },
  ordered: orderedChecks,
  hostile: { ...hostileBodyChecks, ...hostileConnectionChecks },
  'well behaved': behaviorChecks,
}

const severities: readonly Severity[] = ['critical', 'high', 'medium', 'low']

/**
 * All checks of an endpoint in the order they run: the positive control and `secondId`, then most others, then those that may crash the
 * endpoint, each with the most severe first, and finally checks that judge all exchanges or need time.
 */
const endpointChecks: readonly ListedCheck[] = Object.entries(groups)
  .flatMap(([group, checks]) => Object.entries(checks).map(([id, check]) => ({ ...check, id, group })))
  .map((check) => {
    const { id, group, severity, runsLast = group === 'well behaved' } = check
    const phase = [controlId, secondId].includes(id) ? 0 : runsLast ? 3 : group === 'hostile' ? 2 : 1
    return { check, rank: phase * 10 + (phase === 3 ? 0 : severities.indexOf(severity)) }
  })
  .toSorted((left, right) => left.rank - right.rank)
  .map(({ check }) => check)

/** The ids of all checks of an endpoint, in the order they run. */
export const endpointCheckIds: readonly string[] = endpointChecks.map(({ id }) => id)

const assertKnown = (ids: readonly string[], option: string): void => {
  const unknown = ids.find((id) => !endpointCheckIds.includes(id))
  if (unknown === undefined) return
  throw new ExaminationUsageError(
    `There is no check ${JSON.stringify(unknown)} for ${option}. The checks are: ${endpointCheckIds.join(', ')}.`,
  )
}

/**
 * Returns the checks of a run. Checks in `skip` are included, because they are reported as skipped.
 *
 * @throws ExaminationUsageError when an id does not belong to a check.
 */
export const selectChecks = ({
  only,
  skip = [],
}: Pick<ExamineEndpointOptions, 'only' | 'skip'>): readonly ListedCheck[] => {
  assertKnown(only ?? [], 'only')
  assertKnown(skip, 'skip')
  return endpointChecks.filter(({ id }) => id === controlId || only === undefined || only.includes(id))
}

/**
 * Returns the plan of a run without sending anything.
 *
 * @throws ExaminationUsageError when the URL or the id of a check is wrong.
 */
export const planExamination = (options: ExamineEndpointOptions): ExaminationPlan => {
  const checks = selectChecks(options)
  const given = listGiven(options)
  const isSent = ({ id, needs = [] }: ListedCheck): boolean =>
    needs.every((need) => given.has(need)) && !options.skip?.includes(id)
  const limits = { ...defaultLimits, ...options.limits }
  const requests = countRequests(checks.filter(isSent), { given, limits, measured: listMeasured(options) })
  return { target: formatTarget(readTarget(options.url)), checks: checks.length, requests }
}
