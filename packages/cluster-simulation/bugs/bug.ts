import type { Plan } from '../src/plan.ts'

/** A change of the source that breaks it: `find` occurs once in the file, and becomes `replace`. */
export type PlantedBug = {
  /** What is wrong. */
  readonly name: string
  /** A source file, from `packages/`. */
  readonly file: string
  readonly find: string
  readonly replace: string
  /** Returns whether a plan has what it takes to show it. Others are not run, to save time. */
  readonly needs?: (plan: Plan) => boolean
}

/** Returns whether a user cancels deliveries, and sends them again soon afterwards. */
export const hasSecondThoughts = ({ operations }: Plan): boolean =>
  operations.some(
    (canceling) =>
      canceling.do === 'cancel' &&
      operations.some(
        (each) => each.do === 'send again' && each.at >= canceling.at && each.at - canceling.at <= 2_000,
      ),
  )
