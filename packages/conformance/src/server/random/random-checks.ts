import { createSeededRandom } from '../../seeded-random.ts'
import type { Lab } from '../lab.ts'
import type { Observation, ServerRules } from '../server-rule.ts'
import { type Difference, playSteps } from './play-steps.ts'
import { shrink } from './shrink.ts'
import { createSteps } from './step.ts'

type Played = Awaited<ReturnType<typeof playSequences>>

const maxShownRequests = 5

/** Minimum number of sequences, even if time runs out on a busy machine. */
const minSequences = 5

const playSequences = async (lab: Lab, { seed, minutes }: RandomOptions) => {
  const random = createSeededRandom(seed)
  const endsAt = performance.now() + minutes * 60_000
  let sequences = 0
  /** The first differences from the specification and from decisions, shrunk. */
  const broken: { specified?: Difference; decided?: Difference } = {}
  const isOver = (): boolean => performance.now() >= endsAt && sequences >= minSequences
  while (!isOver() && (broken.specified === undefined || broken.decided === undefined)) {
    const steps = createSteps(random, lab)
    sequences += 1
    const difference = await playSteps(lab, steps)
    if (difference === undefined) continue
    const kind = difference.decided ? 'decided' : 'specified'
    if (broken[kind] !== undefined) continue
    let shortest = difference
    await shrink(steps.slice(0, difference.index + 1), async (candidate) => {
      const again = await playSteps(lab, candidate)
      const isSame = again?.index === candidate.length - 1 && again.status === difference.status
      if (again !== undefined && isSame && again.decided === difference.decided) shortest = again
      return shortest === again
    })
    broken[kind] = shortest
  }
  return { sequences, broken }
}

type RandomOptions = { readonly seed: number; readonly minutes: number }

const judge = ({ sequences, broken }: Played, kind: keyof Played['broken']): Observation => {
  const difference = broken[kind]
  if (difference === undefined)
    return { kept: sequences > 0 ? true : undefined, observed: `${sequences} sequences` }
  const { requests, observed } = difference
  const shown = requests.slice(-maxShownRequests)
  const note =
    shown.length < requests.length
      ? ` (it took ${requests.length} requests; the last ${shown.length} are shown)`
      : ''
  return { kept: false, observed: `in a sequence of ${shown.length}: ${observed}${note}`, requests: shown }
}

/** Creates rules that send random sequences of legal and illegal requests, and compare the server with a model. */
export const createRandomRules = (options: RandomOptions): ServerRules => {
  let played: Promise<Played> | undefined
  const play = (lab: Lab): Promise<Played> => {
    played ??= playSequences(lab, options)
    return played
  }
  return {
    'random.sequences.follow-the-specification': {
      title: 'Responses to random sequences of requests match the specification',
      clause: '"Endpoints", "Authentication", "Errors" and "Limits"',
      expected: 'the statuses and group ids of a model of the specification',
      severity: 'high',
      needs: ['--minutes'],
      examine: async ({ lab }) => judge(await play(lab), 'specified'),
    },
    'random.sequences.follow-the-decisions': {
      title: 'Responses to random sequences of requests match the decisions of wabakit',
      clause: '0008 (order of checks) and 0009 (repeated group id)',
      expected: 'the statuses and group ids of a model of the decisions',
      needs: ['--minutes'],
      examine: async ({ lab }) => judge(await play(lab), 'decided'),
    },
  }
}
