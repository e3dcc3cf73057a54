import { WabakitError } from './wabakit-error.ts'

/**
 * A create was sent and no readable answer came, so the group may exist or not. Wait for its GROUP_CREATED, or repeat the call
 * with the same `groupId`: the service answers a repetition with the same group. `cause` says what happened.
 */
export class OutcomeUnknownError extends WabakitError {
  override get name() {
    return 'OutcomeUnknownError' as const
  }
  readonly code = 'outcome_unknown'
  /** The `groupId` that was supplied; `undefined` when the service was to generate one. */
  readonly groupId: string | undefined

  constructor(message: string, { groupId, cause }: { groupId: string | undefined; cause: unknown }) {
    super(message, { cause })
    this.groupId = groupId
  }
}
