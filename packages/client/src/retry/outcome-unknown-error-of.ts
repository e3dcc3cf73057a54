import type { Call } from '../call.ts'
import { OutcomeUnknownError } from '../errors/outcome-unknown-error.ts'
import type { WabakitError } from '../errors/wabakit-error.ts'

/** The error for a create that may have been carried out; it says how to find out. */
export const outcomeUnknownErrorOf = ({ method, path, groupId }: Call<unknown>, cause: WabakitError) => {
  const remedy =
    groupId === undefined
      ? 'Wait for GROUP_CREATED with this subject before you create it again; supply a groupId, or let the client generate it, to recognise the group by'
      : `Wait for GROUP_CREATED with groupId ${groupId} before you create it again`
  return new OutcomeUnknownError(
    `${method} ${path} was sent, but its outcome is not known, and the group may exist. ${remedy}. What happened: ${cause.message}`,
    { groupId, cause },
  )
}
