import type { Rule, RuleContext } from './rule.ts'

const once = 'a receiver handles each delivery once'
const oneId = 'an event has the same webhook-id on every attempt'

/** Checks that receivers handle each event once and recognize duplicates. */
export const createEffectsRule = ({ violate }: RuleContext): Rule => {
  const handled = new Set<string>()
  const bodies = new Map<string, string>()
  const ids = new Map<string, string>()
  let hasNewIds = false

  return {
    observe: (observation) => {
      if (observation.kind === 'reset') hasNewIds = true
      if (observation.kind === 'handled') {
        const key = `${observation.endpoint} ${observation.webhookId}`
        if (handled.has(key)) violate(once, `${key} was handled twice`)
        handled.add(key)
      }
      if (observation.kind === 'arrived') {
        const { webhookId, body } = observation
        const known = bodies.get(webhookId)
        if (known !== undefined && known !== body)
          violate(oneId, `${webhookId} arrived with two different bodies`)
        bodies.set(webhookId, body)
      }
      if (observation.kind === 'attempt began') {
        const { attempted, webhookId } = observation
        const { id } = attempted.delivery
        const known = ids.get(id) ?? webhookId
        if (known !== webhookId && !hasNewIds)
          violate(oneId, `${id} was attempted as ${known} and as ${webhookId}`)
        ids.set(id, webhookId)
      }
    },
  }
}
