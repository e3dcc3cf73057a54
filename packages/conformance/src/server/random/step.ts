import { type JoinApprovalMode, limits } from '@wabakit/contract'
import type { PlayedCall } from '../calls/simulate.ts'
import type { Lab } from '../lab.ts'

export type Step =
  | {
      readonly kind: 'create'
      readonly key: 'api' | 'other' | 'unknown'
      readonly number: 'own' | 'unknown' | 'disabled'
      /** Index of one of the sequence's group ids; `undefined` lets the service generate one. */
      readonly slot: number | undefined
      readonly subject: string
      readonly description: string | undefined
      readonly joinApprovalMode: JoinApprovalMode | 'open' | undefined
    }
  | { readonly kind: 'fetch' }
  | { readonly kind: 'call'; readonly call: PlayedCall }

const maxSteps = 10
/** Counts 128 in code points and in UTF-16 code units, because how characters are counted is a decision. */
const longestSubject = 'ü'.repeat(limits.subjectMaxLength)
const longSubject = 's'.repeat(limits.subjectMaxLength + 1)
const longDescription = 'd'.repeat(limits.descriptionMaxLength + 1)

/** Creates a sequence of legal and illegal requests. Most are legal, and group ids repeat. */
export const createSteps = (random: () => number, { has, isLive }: Pick<Lab, 'has' | 'isLive'>): Step[] => {
  const pick = <Value>(values: readonly [Value, ...Value[]]): Value =>
    values[Math.floor(random() * values.length)] ?? values[0]
  const disabled = has.has('--disabled-number') ? 'disabled' : 'own'
  const createStep = (): Step => {
    const kind = random()
    if (kind < 0.1) return { kind: 'fetch' }
    if (kind < 0.13 && has.has('--play')) {
      // Live services have no summary of a WhatsApp call to fetch.
      return {
        kind: 'call',
        call: {
          outcome: pick(['answered', 'missed', 'no_recording']),
          channel: pick(['PSTN', isLive ? 'PSTN' : 'WHATSAPP']),
        },
      }
    }
    return {
      kind: 'create',
      // Unknown keys are rare, because requests without a valid key have a low rate limit.
      key: random() < 0.03 ? 'unknown' : has.has('--other-key') && random() < 0.15 ? 'other' : 'api',
      number: pick(['own', 'own', 'own', 'own', 'unknown', disabled]),
      slot: pick([0, 0, 0, 1, 1, 2, undefined]),
      subject: pick(['Team', 'Team', 'Team', 'Staff', longestSubject, '', longSubject]),
      description: pick([undefined, undefined, undefined, 'About', '', longDescription]),
      joinApprovalMode: pick([undefined, undefined, undefined, 'auto_approve', 'approval_required', 'open']),
    }
  }
  const steps: [Step, ...Step[]] = [createStep()]
  const length = 2 + Math.floor(random() * (maxSteps - 1))
  // Repeats requests, as clients do.
  while (steps.length < length) steps.push(random() < 0.3 ? pick(steps) : createStep())
  return steps
}
