import { limits } from '@wabakit/contract'
import type { Step } from './step.ts'

/** The model's prediction for a step. */
export type Expectation = {
  readonly status: number
  /** Set if the specification is silent about this case. */
  readonly decided: boolean
}

type CreateStep = Extract<Step, { kind: 'create' }>
type Fault = Expectation

const count = (text: string): number => [...text].length

/** Creates a model of the two endpoints. It predicts responses from the groups created so far. */
export const createModel = () => {
  const groups = new Map<number, string>()
  const describe = ({ subject, description, joinApprovalMode }: CreateStep): string =>
    JSON.stringify([subject, description, joinApprovalMode])

  const findFaults = (step: CreateStep): Fault[] => {
    const { key, number, slot, subject, description = '', joinApprovalMode } = step
    const present = slot === undefined ? undefined : groups.get(slot)
    const rules: [broken: boolean, status: number, decided?: boolean][] = [
      [key === 'unknown', 401],
      [subject === '' || count(subject) > limits.subjectMaxLength, 400],
      [count(description) > limits.descriptionMaxLength, 400],
      [joinApprovalMode === 'open', 400],
      [number === 'unknown', 400],
      [key === 'other', 403],
      [number === 'disabled', 422],
      [present !== undefined && present !== describe(step), 422, true],
    ]
    return rules.flatMap(([broken, status, decided = false]) => (broken ? [{ status, decided }] : []))
  }

  return {
    /** Predicts the response to a step, and records the group it creates. */
    expect: (step: Step): Expectation => {
      switch (step.kind) {
        case 'fetch':
          return { status: 404, decided: true }
        case 'call':
          return step.call.outcome === 'answered'
            ? { status: 200, decided: false }
            : { status: 422, decided: true }
        case 'create': {
          const faults = findFaults(step)
          const [first] = faults
          if (first === undefined) {
            const isRepeat = step.slot !== undefined && groups.has(step.slot)
            if (step.slot !== undefined) groups.set(step.slot, describe(step))
            // Counting lengths in code points is also a decision.
            return { status: 200, decided: isRepeat || step.subject.length > limits.subjectMaxLength }
          }
          // A decision determines which of several errors is reported.
          const isCertain =
            faults.some((each) => !each.decided) && faults.every((each) => each.status === first.status)
          return { status: first.status, decided: !isCertain }
        }
        default:
          return step satisfies never
      }
    },
  }
}
