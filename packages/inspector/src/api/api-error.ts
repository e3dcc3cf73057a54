import type { Issue } from '@wabakit/wire'

/** The failure of a request to the control API, or of the check of a form before it, with a message for the user. */
export class ApiError extends Error {
  override readonly name = 'ApiError'
  /** Status of the response, or 0 if there is none. */
  readonly status: number
  readonly issues: readonly Issue[]

  constructor(
    status: number,
    message: string,
    { issues = [], ...options }: ErrorOptions & { readonly issues?: readonly Issue[] } = {},
  ) {
    super(message, options)
    this.status = status
    this.issues = issues
  }
}

export const getMessage = (error: unknown): string => (error instanceof Error ? error.message : String(error))
