import type { ListedCall } from '../control-types.ts'

/** Says at how many endpoints the summary of a call is, if it is at some, but not at all. */
export const toCallRows = (calls: readonly ListedCall[]) =>
  calls.map(({ summaryEndpoints: all, summaryMissing: missing, ...call }) => ({
    ...call,
    ...(missing > 0 && missing < all && { summaryArrival: `at ${all - missing} of ${all}` }),
  }))
