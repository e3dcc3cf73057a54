import type { Finding } from '../report/run-checks.ts'
import type { Examination } from './examination.ts'
import type { Delivery } from './payloads.ts'

/** Judges that each of these deliveries had exactly one effect. `sent` says what was sent of each. */
export const judgeOnce = async (
  { countEffects }: Examination,
  deliveries: readonly Delivery[],
  sent: string,
): Promise<Finding> => {
  const counts = await countEffects(deliveries)
  const observed = `${sent} had ${counts.join(' and ')} ${counts.join() === '1' ? 'effect' : 'effects'}`
  return { verdict: counts.every((count) => count === 1) ? 'pass' : 'fail', observed }
}
