import { ExaminationUsageError } from '../errors.ts'
import { endpointChecks } from './checks/all.ts'
import type { ExaminationPlan, ExamineEndpointOptions } from './options.ts'
import { listGiven } from './settings.ts'
import { formatTarget, readTarget } from './target.ts'

/** The check that all others depend on. */
const controlId = 'accepts-genuine'

/** The ids of all checks of an endpoint, in the order in which they run. */
export const endpointCheckIds: readonly string[] = endpointChecks.map(({ id }) => id)

type Selection = Pick<ExamineEndpointOptions, 'only' | 'skip'>

const assertKnown = (ids: readonly string[], option: string): void => {
  const unknown = ids.find((id) => !endpointCheckIds.includes(id))
  if (unknown === undefined) return
  throw new ExaminationUsageError(
    `There is no check ${JSON.stringify(unknown)} for ${option}. The checks are: ${endpointCheckIds.join(', ')}.`,
  )
}

/**
 * Returns the checks of a run. They include those in `skip`, which are reported as skipped.
 *
 * @throws ExaminationUsageError when an id does not belong to a check.
 */
export const selectChecks = ({ only, skip = [] }: Selection): typeof endpointChecks => {
  assertKnown(only ?? [], 'only')
  assertKnown(skip, 'skip')
  return endpointChecks.filter(({ id }) => id === controlId || only === undefined || only.includes(id))
}

/**
 * Returns the plan of a run with these options, without sending anything.
 *
 * @throws ExaminationUsageError when the options are wrong.
 */
export const planExamination = (options: ExamineEndpointOptions): ExaminationPlan => {
  const checks = selectChecks(options)
  const given = listGiven(options)
  const isSent = ({ id, needs = [] }: (typeof checks)[number]): boolean =>
    needs.every((need) => given.has(need)) && !options.skip?.includes(id)
  const requests = checks.filter(isSent).reduce((sum, check) => sum + check.requests, 0)
  return { target: formatTarget(readTarget(options.url)), checks: checks.length, requests }
}
