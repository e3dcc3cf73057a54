/**
 * How memory follows a transaction: what to do after its commit, and what if its changes are rolled back, in the order of the
 * changes. Empty after its end. If a commit fails, and may have happened or not, it counts as rolled back.
 */
export type Effects = { readonly afterCommit?: () => void; readonly afterRollback?: () => void }[]

/** Applies the effects of a commit. */
export const applyCommit = (effects: Effects): void => {
  for (const { afterCommit } of effects.splice(0)) afterCommit?.()
}

/** Applies the effects of a rollback, those of the last change first, until as many as `length` are left. */
export const applyRollback = (effects: Effects, length = 0): void => {
  while (effects.length > length) effects.pop()?.afterRollback?.()
}
