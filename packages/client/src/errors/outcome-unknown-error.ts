import { WabakitError } from './wabakit-error.ts'

/**
 * A create was sent, and its outcome is not known: no complete response came, or a 5xx that does not say that nothing
 * was changed. The group may exist. Wait for GROUP_CREATED with this `groupId` before you create it again. wabakit's
 * server also answers a repetition of the same request with the same group; other services may not. `cause` is the
 * last failure, with status and `requestId` where there was a response.
 */
export class OutcomeUnknownError extends WabakitError {
  override get name() {
    return 'OutcomeUnknownError' as const
  }
  readonly code = 'outcome_unknown'
  /** The `groupId` that was sent, supplied or generated; `undefined` only with `generateGroupIds: false`. */
  readonly groupId: string | undefined

  constructor(message: string, { groupId, cause }: { groupId: string | undefined; cause: unknown }) {
    super(message, { cause })
    this.groupId = groupId
  }
}
