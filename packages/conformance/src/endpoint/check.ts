import type { Check, Finding } from '../report/run-checks.ts'
import type { Examination } from './examination.ts'
import type { Knowledge } from './knowledge.ts'
import type { Settings } from './settings.ts'

/** A prerequisite of a check. */
export type Need = 'signature' | 'previous-secret' | 'credentials' | 'effects'

export type EndpointCheck = Omit<Check<Examination>, 'group' | 'run'> & {
  /** Approximate number of its requests. */
  readonly requests: number
  readonly needs?: readonly Need[]
  /** Set if the check has a result even when the endpoint refuses genuine deliveries, or no longer responds. */
  readonly runsAnyway?: boolean
  run(examination: Examination): Promise<Finding> | Finding
}

const findMissing = (needs: readonly Need[], settings: Settings): Finding | undefined => {
  const skipped = (observed: string): Finding => ({ verdict: 'skipped', observed })
  if (needs.includes('signature') && settings.secret === undefined) {
    return skipped('the sender is known by a header; --secret enables this check')
  }
  if (needs.includes('credentials') && Object.keys(settings.credentials).length === 0) {
    return skipped('deliveries are signed; --header or --basic enables this check')
  }
  if (needs.includes('previous-secret') && settings.previousSecret === undefined) {
    return skipped('--previous-secret enables this check')
  }
  return undefined
}

/** Returns the reason why a check would prove nothing; `undefined` if it can run. */
export const declineCheck = (
  { id, needs = [], runsAnyway }: EndpointCheck,
  { settings, knowledge, skip }: { settings: Settings; knowledge: Knowledge; skip: readonly string[] },
): Finding | undefined => {
  if (skip.includes(id)) return { verdict: 'skipped', observed: 'left out by --skip' }
  const missing = findMissing(needs, settings)
  if (missing !== undefined || runsAnyway) return missing
  const inconclusive = (observed: string): Finding => ({ verdict: 'inconclusive', observed })
  if (!knowledge.acceptsGenuine) {
    return inconclusive(`genuine deliveries are not accepted: ${knowledge.controlProblem}`)
  }
  if (knowledge.downSince !== undefined) {
    return inconclusive(`the endpoint has accepted no genuine delivery since ${knowledge.downSince}`)
  }
  if (!needs.includes('effects')) return undefined
  if (settings.effects === undefined) {
    return inconclusive('a status code cannot prove this; pass --effects <command or URL>')
  }
  return knowledge.effectName === undefined ? inconclusive(knowledge.effectsProblem) : undefined
}
