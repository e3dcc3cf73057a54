import type { Plan } from '../src/plan.ts'

/** A change that introduces a bug. It replaces `find`, which occurs once in the file, with `replace`. */
export type PlantedBug = {
  /** The description of the bug. */
  readonly name: string
  /** The path of the source file, relative to `packages/`. */
  readonly file: string
  readonly find: string
  readonly replace: string
  /** Returns whether a plan can expose the bug. Other plans are skipped to save time. */
  readonly needs?: (plan: Plan) => boolean
}

/** Returns whether a user cancels deliveries, and resends them within two seconds. */
export const hasSecondThoughts = ({ operations }: Plan): boolean =>
  operations.some(
    (canceling) =>
      canceling.do === 'cancel' &&
      operations.some(
        (each) => each.do === 'send again' && each.at >= canceling.at && each.at - canceling.at <= 2_000,
      ),
  )

/** Returns whether changes are reported late. */
export const hasLateChanges = ({ changesMs = 0 }: Plan): boolean => changesMs > 0
