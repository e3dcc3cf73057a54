import type { Invariant, InvariantContext } from './invariant.ts'

const once = 'each event of a call is published once'
const oneSummary = 'one CALL_AI_SUMMARY per call'
const alternates = 'a participant joins and leaves alternately'

/**
 * Checks that participants join and leave alternately, and that each step of a call publishes one event, even if the
 * step is repeated. An erased call can publish its events again, except for the summary.
 */
export const createEventsInvariant = ({ violate }: InvariantContext): Invariant => {
  const erased = new Set<string>()
  return {
    on: { erased: ({ subject }) => erased.add(subject) },
    finish: ({ events, prunedBefore }) => {
      const seen = new Set<string>()
      const joined = new Set<string>()
      for (const { name, subject, payload } of events) {
        const move = /^GROUP_PARTICIPANT_(JOINED|LEFT)$/.exec(name)?.[1]
        if (move !== undefined && prunedBefore === 0) {
          const who = `${JSON.parse(payload).customerPhone} of ${subject}`
          if (joined.has(who) === (move === 'JOINED'))
            violate(alternates, `${who} ${move.toLowerCase()} twice`)
          if (move === 'JOINED') joined.add(who)
          else joined.delete(who)
        }
        const isSummary = name === 'CALL_AI_SUMMARY'
        if (!name.startsWith('CALL_') || (erased.has(subject) && !isSummary)) continue
        const key = `${name} of ${subject}`
        if (seen.has(key)) violate(isSummary ? oneSummary : once, `${key} was published twice`)
        seen.add(key)
      }
    },
  }
}
