import type { ListedCall } from '../control-types.ts'

/** Replaces the arrival of a summary that has reached some of its endpoints, but not every one, by their number: `at 2 of 4`. */
export const toCallRows = (calls: readonly ListedCall[]) =>
  calls.map(({ summaryEndpoints: all, summaryMissing: missing, ...call }) => ({
    ...call,
    ...(missing > 0 && missing < all && { summaryArrival: `at ${all - missing} of ${all}` }),
  }))
