import { WabakitError } from './wabakit-error.ts'

/**
 * A create request was sent, and nobody knows whether the group exists: there was no complete response, or a 5xx that
 * does not rule it out. Before you create the group again, wait for GROUP_CREATED with this `groupId`. Repeating the
 * same request is safe with wabakit's server, which returns the same group, but maybe not with other services.
 * `cause` is the last failure. If there was a response, it has `status` and `requestId`.
 */
export class OutcomeUnknownError extends WabakitError {
  override get name(): 'OutcomeUnknownError' {
    return 'OutcomeUnknownError'
  }
  readonly code = 'outcome_unknown'
  /** The `groupId` of the request, supplied or generated; `undefined` only with `generateGroupIds: false`. */
  readonly groupId: string | undefined

  constructor(message: string, { groupId, cause }: { groupId: string | undefined; cause: unknown }) {
    super(message, { cause })
    this.groupId = groupId
  }
}
