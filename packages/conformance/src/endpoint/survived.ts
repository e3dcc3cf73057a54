import type { Finding } from '../report/run-checks.ts'
import type { Examination } from './examination.ts'

/** Judges an attack by what comes after it: does the endpoint still accept a genuine delivery? */
export const judgeSurvived = async ({ isAlive }: Examination, observed: string): Promise<Finding> =>
  (await isAlive())
    ? { verdict: 'pass', observed: `${observed}; still accepts genuine deliveries` }
    : { verdict: 'fail', observed: `${observed}; afterwards it accepts no genuine delivery` }
