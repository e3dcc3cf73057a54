import type { ListedCall } from '../control-types.ts'

/** Replaces the arrival of a summary that only some of its endpoints have with their number: `at 2 of 4`. */
export const toCallRows = (calls: readonly ListedCall[]) =>
  calls.map(({ summaryEndpoints: all, summaryMissing: missing, ...call }) => ({
    ...call,
    ...(missing > 0 && missing < all && { summaryArrival: `at ${all - missing} of ${all}` }),
  }))
