import type { Rule, RuleContext } from './rule.ts'

const once = 'a call has each of its events once'
const oneSummary = 'one CALL_AI_SUMMARY per call'
const alternates = 'a participant joins and leaves alternately'

/**
 * Checks that participants join and leave alternately, and that each call step publishes one event, even if it is
 * repeated. An erased call can start again, but gets no second summary.
 */
export const createEventsRule = ({ violate }: RuleContext): Rule => {
  const erased = new Set<string>()
  let isPruned = false
  return {
    observe: (observation) => {
      if (observation.kind === 'erased') erased.add(observation.subject)
      if (observation.kind === 'pruned') isPruned = true
    },
    finish: ({ events }) => {
      const seen = new Set<string>()
      const joined = new Set<string>()
      for (const { name, subject, payload } of events) {
        const move = /^GROUP_PARTICIPANT_(JOINED|LEFT)$/.exec(name)?.[1]
        if (move !== undefined && !isPruned) {
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
