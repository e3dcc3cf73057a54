import type { Rule, RuleContext } from './rule.ts'

const once = 'a call has each of its events once'
const oneSummary = 'one CALL_AI_SUMMARY per call'

/** Each step of a call publishes one event, whoever repeats it. An erased call can begin again, but has no second summary. */
export const createEventsRule = ({ violate }: RuleContext): Rule => {
  const erased = new Set<string>()
  return {
    observe: (observation) => {
      if (observation.kind === 'erased') erased.add(observation.subject)
    },
    finish: ({ events }) => {
      const seen = new Set<string>()
      for (const { name, subject } of events) {
        const isSummary = name === 'CALL_AI_SUMMARY'
        if (!name.startsWith('CALL_') || (erased.has(subject) && !isSummary)) continue
        const key = `${name} of ${subject}`
        if (seen.has(key)) violate(isSummary ? oneSummary : once, `${key} was published twice`)
        seen.add(key)
      }
    },
  }
}
