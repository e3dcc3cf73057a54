import { comesTrue } from './comes-true.ts'
import type { Load } from './load.ts'

/** Waits until more requests are refused with 503. Resolves to whether that happens in time. */
export const awaitRefusals = (load: Load): Promise<boolean> => {
  const before = load.report().unavailable
  return comesTrue(async () => load.report().unavailable >= before + 3, 20_000)
}
