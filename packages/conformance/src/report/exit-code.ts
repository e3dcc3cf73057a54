import type { Verdict } from './report.ts'

/** Exit code of each verdict. A usage error is 2, and a target that cannot be reached is 3. */
export const exitCodes: Readonly<Record<Verdict, number>> = { pass: 0, fail: 1, inconclusive: 4 }
