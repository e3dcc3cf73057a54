import type { Rule, RuleContext } from './rule.ts'

const once = 'a call has each of its events once'

/** Each step of a call publishes one event, whoever repeats it. */
export const createEventsRule = ({ violate }: RuleContext): Rule => ({
  finish: ({ events }) => {
    const seen = new Set<string>()
    for (const { name, subject } of events) {
      if (!name.startsWith('CALL_')) continue
      const key = `${name} of ${subject}`
      if (seen.has(key))
        violate(
          name === 'CALL_AI_SUMMARY' ? 'one CALL_AI_SUMMARY per call' : once,
          `${key} was published twice`,
        )
      seen.add(key)
    }
  },
})
