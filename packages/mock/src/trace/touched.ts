/** A tenant, as the runner of tests sees it. */
export type TouchedTenant = {
  /** Saves the trace of a failed test, over that of its last failed wait, if there is one. Returns the path of the file. */
  saveFailedTest(test: { readonly name: string; readonly problem: string }): Promise<string>
}

/**
 * The tenants in which something happened since the current test began. `undefined` unless a runner wants traces of all tests
 * that fail.
 */
export const touched: { tenants: Set<TouchedTenant> | undefined } = { tenants: undefined }
