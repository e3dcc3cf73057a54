export type FieldIssue = { readonly path: string; readonly message: string }

/** The control API did not perform a request. The page shows the message. */
export class ApiError extends Error {
  override readonly name = 'ApiError'
  /** The status of the response; 0 when there was none. */
  readonly status: number
  readonly issues: readonly FieldIssue[]

  constructor(
    status: number,
    message: string,
    { issues = [], ...options }: ErrorOptions & { readonly issues?: readonly FieldIssue[] } = {},
  ) {
    super(message, options)
    this.status = status
    this.issues = issues
  }
}

/** Returns the text to show for a thrown value. */
export const getMessage = (error: unknown): string => (error instanceof Error ? error.message : String(error))
