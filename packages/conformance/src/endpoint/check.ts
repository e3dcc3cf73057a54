import type { Check, Finding } from '../report/run-checks.ts'
import type { Examination } from './examination.ts'

/** What a check cannot do without. */
export type Need = 'signature' | 'previous-secret' | 'credentials' | 'effects'

/** A check of an endpoint. */
export type EndpointCheck = Omit<Check<Examination>, 'group' | 'run'> & {
  /** About how many requests it sends. */
  readonly requests: number
  readonly needs?: readonly Need[]
  /** Whether it says something even if the endpoint refuses genuine deliveries, or responds no more. */
  readonly runsAnyway?: boolean
  run(examination: Examination): Promise<Finding> | Finding
}
