import type { Call } from '../call.ts'
import { OutcomeUnknownError } from '../errors/outcome-unknown-error.ts'
import type { WabakitError } from '../errors/wabakit-error.ts'

/** The error for a create that may have been carried out; it says how to find out. */
export const outcomeUnknownErrorOf = ({ method, path, groupId }: Call<unknown>, cause: WabakitError) => {
  const remedy =
    groupId === undefined
      ? 'wait for GROUP_CREATED; supply a groupId next time, so that the call can be repeated safely'
      : `wait for GROUP_CREATED with groupId ${groupId}, or repeat the call with the same groupId`
  return new OutcomeUnknownError(
    `${method} ${path} was sent, but its outcome is not known (${cause.message}): the group may exist; ${remedy}`,
    { groupId, cause },
  )
}
