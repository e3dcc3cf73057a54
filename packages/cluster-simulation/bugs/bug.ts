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
