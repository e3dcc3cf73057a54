import type { ReferenceServer } from '@wabakit/core'
import type { LiveSettings } from '@wabakit/core/simulation'

/** The module that imitates a live service. A server without `mock` does not load it. */
export type LiveProfile = typeof import('@wabakit/core/live')

/** Returns a `fetch` that responds like a live service. */
export const respondAsLive =
  (
    service: Pick<ReferenceServer, 'fetch' | 'onRequest' | 'calls'>,
    { respondLive, pstnCalling }: Pick<LiveProfile, 'respondLive'> & Pick<LiveSettings, 'pstnCalling'>,
  ): ReferenceServer['fetch'] =>
  async (request, options) => {
    let organizationId: string | undefined
    return respondLive(request, {
      pstnCalling,
      respond: async (received) => {
        const callers = new Map<string, string | undefined>()
        const stop = service.onRequest(({ requestId, caller }) => {
          callers.set(requestId, caller?.organization.id)
        })
        try {
          const response = await service.fetch(received, options)
          organizationId = callers.get(response.headers.get('x-request-id') ?? '')
          return response
        } finally {
          stop()
        }
      },
      findCall: async (callId) =>
        organizationId === undefined ? undefined : (await service.calls.find(organizationId, callId))?.call,
    })
  }
