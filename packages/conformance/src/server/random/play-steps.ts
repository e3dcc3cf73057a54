import { setTimeout as sleep } from 'node:timers/promises'
import { limits } from '@wabakit/contract'
import { type ApiRequest, readField } from '../api/api-request.ts'
import { buildCreate, buildFetch, describeResponse, type Lab, unknownNumber } from '../lab.ts'
import type { Step } from './step.ts'

type Expectation = {
  readonly status: number
  /** Set if the specification is silent about this case. */
  readonly decided: boolean
}

type CreateStep = Extract<Step, { kind: 'create' }>

const count = (text: string): number => [...text].length

/** Creates a model of the two endpoints, which predicts the response to each step and remembers created groups. */
const createModel = () => {
  const groups = new Map<number, string>()
  const describe = ({ subject, description, joinApprovalMode }: CreateStep): string =>
    JSON.stringify([subject, description, joinApprovalMode])

  const findFaults = (step: CreateStep): Expectation[] => {
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

  return (step: Step): Expectation => {
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
          return { status: 200, decided: isRepeat }
        }
        // A decision determines which of several errors is reported.
        const isCertain =
          faults.some((each) => !each.decided) && faults.every((each) => each.status === first.status)
        return { status: first.status, decided: !isCertain }
      }
      default:
        return step satisfies never
    }
  }
}

/** A step where the server differed from the model. */
export type Difference = Expectation & {
  readonly index: number
  readonly observed: string
  readonly requests: readonly ApiRequest[]
}

const pollMs = 100

const limitedPauseMs = 1_000

/** Plays steps against the server and the model. */
export const playSteps = async (lab: Lab, steps: readonly Step[]): Promise<Difference | undefined> => {
  const predict = createModel()
  const slots = new Map<number, string>()
  const numbers = { own: lab.wabaNumber, unknown: unknownNumber, disabled: lab.disabledNumber }
  const requests: ApiRequest[] = []

  const findGroupId = (slot: number): string => {
    const groupId = slots.get(slot) ?? lab.createGroupId()
    slots.set(slot, groupId)
    return groupId
  }
  const toRequest = async (step: Step): Promise<ApiRequest | undefined> => {
    switch (step.kind) {
      case 'fetch':
        return buildFetch(lab.createGroupId())
      case 'call': {
        const callId = await lab.play?.(step.call).catch(() => undefined)
        return callId === undefined ? undefined : buildFetch(callId)
      }
      case 'create': {
        const { key, number, slot, subject, description, joinApprovalMode } = step
        const groupId = slot === undefined ? undefined : findGroupId(slot)
        const fields = { wabaNumber: numbers[number], subject, description, joinApprovalMode, groupId }
        return buildCreate(lab, fields, { key })
      }
    }
  }

  for (const [index, step] of steps.entries()) {
    const request = await toRequest(step)
    if (request === undefined) return undefined
    requests.push(request)
    const expectation = predict(step)
    let sent = await lab.send(request, { once: true })
    const endsAt = performance.now() + lab.wait.timeoutMs
    while (step.kind === 'call' && sent.response.status === 202 && performance.now() < endsAt) {
      await sleep(pollMs)
      sent = await lab.send(request)
    }
    const { status, json } = sent.response
    if (status === 429) await sleep(limitedPauseMs)
    if (status === 429 || status === 0) return undefined
    const difference = { ...expectation, index, requests }
    if (status !== expectation.status) {
      return { ...difference, observed: `expected ${expectation.status}, got ${describeResponse(sent)}` }
    }
    if (step.kind !== 'create' || status !== 200) continue
    const groupId = readField(json, 'groupId')
    const asked = step.slot === undefined ? groupId : slots.get(step.slot)
    if (typeof groupId !== 'string' || groupId !== asked) {
      return { ...difference, observed: `expected groupId ${asked}, got ${JSON.stringify(groupId)}` }
    }
  }
  return undefined
}
