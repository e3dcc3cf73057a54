import type { Invariant, InvariantContext } from './invariant.ts'

const once = 'a receiver handles each delivery once'
const oneId = 'an event has the same webhook-id on every attempt'

/** Checks that receivers handle each delivery once, and that its attempts have the same id and body. */
export const createEffectsInvariant = ({ violate, hasSeen }: InvariantContext): Invariant => {
  const handled = new Set<string>()
  const bodies = new Map<string, string>()
  const ids = new Map<string, string>()

  return {
    on: {
      handled: ({ endpoint, webhookId }) => {
        const key = `${endpoint} ${webhookId}`
        if (handled.has(key)) violate(once, `${key} was handled twice`)
        handled.add(key)
      },
      arrived: ({ webhookId, body }) => {
        if ((bodies.get(webhookId) ?? body) !== body)
          violate(oneId, `${webhookId} arrived with two different bodies`)
        bodies.set(webhookId, body)
      },
      'attempt started': ({ attempted, webhookId }) => {
        const { id } = attempted.delivery
        const known = ids.get(id) ?? webhookId
        // Users can resend deliveries with a new id.
        if (known !== webhookId && !hasSeen('reset'))
          violate(oneId, `${id} was attempted as ${known} and as ${webhookId}`)
        ids.set(id, webhookId)
      },
    },
  }
}
