import { setTimeout as sleep } from 'node:timers/promises'
import { type ApiRequest, readField } from '../api/api-request.ts'
import { buildCreate, buildFetch, describeResponse, type Lab, unknownNumber } from '../lab.ts'
import { createModel, type Expectation } from './create-model.ts'
import type { Step } from './step.ts'

/** A step where the server differed from the model. */
export type Difference = Expectation & {
  readonly index: number
  readonly observed: string
  readonly requests: readonly ApiRequest[]
}

const pollMs = 100

/** Pause after a 429 response, in milliseconds. */
const limitedPauseMs = 1_000

/** Plays steps against the server and the model. Adds the ids of created groups to `groupIds`. */
export const playSteps = async (
  { lab, groupIds }: { lab: Lab; groupIds: Set<string> },
  steps: readonly Step[],
): Promise<Difference | undefined> => {
  const model = createModel()
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
    const expectation = model.expect(step)
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
    groupIds.add(groupId)
  }
  return undefined
}
