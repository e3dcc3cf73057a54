import { limits } from '@wabakit/contract'
import { equal } from '../store-cases/assert.ts'
import { defineCases } from './cases.ts'
import {
  createScenario,
  customer,
  disabledWaba,
  getSummary,
  playCall,
  postGroup,
  pstn,
  type Scenario,
  seeded,
  summary,
} from './scenario.ts'

const [all, second, unknown] = ['wk_all_0123456789', 'wk_second_0123456789', 'wk_nobody_0123456789'] as const
const own = ['15550100001', '+1 555-010-0001'] as const
const noNumber = '+19995550000'

type Create = {
  readonly key: typeof all | typeof second | typeof unknown
  readonly wabaNumber: (typeof own)[number] | typeof disabledWaba | typeof noNumber
  /** One of the sequence's group ids. `undefined` lets the server generate one. */
  readonly groupId: string | undefined
  readonly subject: string
  readonly description: string | undefined
  readonly joinApprovalMode: string | undefined
}

const outcomes = {
  answered: 200,
  ringing: 202,
  ended: 202,
  missed: 422,
  unrecorded: 422,
  unknown: 404,
} as const
type Outcome = keyof typeof outcomes

/** Predicts the status of the response to each create request of a sequence. */
const createModel = () => {
  const groups = new Map<string, string>()
  const count = (text: string): number => [...text].length
  const findFault = ({ key, wabaNumber, groupId, ...rest }: Create): number | undefined => {
    const { subject, description = '', joinApprovalMode = 'auto_approve' } = rest
    const present = groups.get(groupId ?? '')
    // In the order of the checks.
    const rules: [isBroken: boolean, status: number][] = [
      [key === unknown, 401],
      [subject === '' || count(subject) > limits.subjectMaxLength, 400],
      [count(description) > limits.descriptionMaxLength, 400],
      [!['auto_approve', 'approval_required'].includes(joinApprovalMode), 400],
      [wabaNumber === noNumber, 400],
      [key === second, 403],
      [present !== undefined && present !== JSON.stringify(rest), 422],
      [wabaNumber === disabledWaba, 422],
    ]
    return rules.find(([isBroken]) => isBroken)?.[1]
  }
  return {
    groups,
    predict: (step: Create): number => {
      const { key: _, wabaNumber: __, groupId, ...rest } = step
      const fault = findFault(step)
      if (fault === undefined && groupId !== undefined) groups.set(groupId, JSON.stringify(rest))
      return fault ?? 200
    },
  }
}

/** Creates a sequence of requests. Most are legal, group ids repeat, and requests are repeated as clients do. */
const createSteps = (random: () => number, name: string): (Create | Outcome)[] => {
  const pick = <Value>(values: readonly [Value, ...Value[]]): Value =>
    values[Math.floor(random() * values.length)] ?? values[0]
  const createStep = (): Create | Outcome =>
    random() < 0.15
      ? pick(['answered', 'ringing', 'ended', 'missed', 'unrecorded', 'unknown'])
      : {
          key: pick([all, all, all, all, all, all, all, second, unknown]),
          wabaNumber: pick([own[0], own[0], own[1], own[1], noNumber, disabledWaba]),
          groupId: pick([`${name} 0`, `${name} 0`, `${name} 0`, `${name} 1`, undefined]),
          subject: pick(['Team', 'Team', 'Team', 'Staff', '🎉'.repeat(128), '', 's'.repeat(129)]),
          description: pick([undefined, undefined, undefined, 'About', '', 'd'.repeat(2_049)]),
          joinApprovalMode: pick([
            undefined,
            undefined,
            undefined,
            'auto_approve',
            'approval_required',
            'open',
          ]),
        }
  const steps: [Create | Outcome, ...(Create | Outcome)[]] = [createStep()]
  while (steps.length < 12) steps.push(random() < 0.3 ? pick(steps) : createStep())
  return steps
}

/** Makes a call with an outcome, and returns its id. */
const makeCall = async (scenario: Scenario, outcome: Outcome): Promise<string> => {
  const { calls, summaries } = scenario.server
  if (outcome === 'unknown') return 'nobody'
  if (outcome === 'answered' || outcome === 'ended') {
    const callId = await playCall(scenario)
    if (outcome === 'answered') await summaries.save('acme', callId, summary, { generatedBy: 'automatic' })
    return callId
  }
  const start = {
    channel: 'PSTN',
    direction: 'INCOMING',
    channelNumber: pstn,
    customerNumber: customer,
  } as const
  const { callId } = await calls.start('acme', start)
  if (outcome === 'missed') await calls.miss('acme', callId)
  if (outcome === 'unrecorded') {
    await calls.accept('acme', callId)
    await calls.end('acme', callId, { recorded: false })
  }
  return callId
}

/** Random sequences of requests. */
export const sequenceCases = defineCases('Sequences', {
  'of legal and illegal requests get the responses that a model predicts': async () => {
    const scenario = await createScenario()
    for (let seed = 1; seed <= 30; seed++) {
      const { groups, predict } = createModel()
      const generated = new Set<string>()
      const before = scenario.publications.length
      for (const [index, step] of createSteps(seeded(seed), `of ${seed}`).entries()) {
        const shown = `seed ${seed}, step ${index}: ${JSON.stringify(step).slice(0, 200)}`
        if (typeof step === 'string') {
          const response = await getSummary(scenario, await makeCall(scenario, step))
          equal(response.status, outcomes[step], shown)
          continue
        }
        const { key, ...body } = step
        const response = await postGroup(scenario, body, { key })
        const { groupId } = await response.json()
        equal(response.status, predict(step), shown)
        if (response.status !== 200) continue
        if (step.groupId === undefined) generated.add(groupId)
        else equal(groupId, step.groupId, shown)
      }
      const created = scenario.publications
        .slice(before)
        .flatMap(({ event }) => (event.event === 'GROUP_CREATED' ? [event.groupId] : []))
      equal(created.toSorted(), [...groups.keys(), ...generated].toSorted(), `seed ${seed}`)
    }
    equal(scenario.errors, [])
  },
})
