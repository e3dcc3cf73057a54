/** How to revert the changes in memory of a transaction, in the order in which they were made. Empty after its end. */
export type Undo = (() => void)[]

/** Reverts changes, the last one first, until as many as `length` are left. */
export const revert = (undo: Undo, length = 0): void => {
  while (undo.length > length) undo.pop()?.()
}
