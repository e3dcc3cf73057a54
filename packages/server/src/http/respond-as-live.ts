import type { ReferenceServer } from '@wabakit/core'
import type { LiveSettings } from '@wabakit/core/simulation'

/** The module that imitates a live service. A server without `sandbox` does not load it. */
export type LiveProfile = typeof import('@wabakit/core/live')

type LiveOptions = Pick<LiveProfile, 'respondLive' | 'createFetchLimit'> &
  Pick<LiveSettings, 'pstnCalling'> & {
    /** Returns the time of the service, as Unix time in milliseconds. */
    readonly now: () => number
  }

/** Returns a `fetch` that responds like a live service. */
export const respondAsLive = (
  service: Pick<ReferenceServer, 'fetch' | 'onRequest' | 'calls'>,
  { respondLive, createFetchLimit, pstnCalling, now }: LiveOptions,
): ReferenceServer['fetch'] => {
  const limitFetches = createFetchLimit(now)
  return async (request, options) => {
    let organizationId: string | undefined
    let requestId = ''
    const response = await respondLive(request, {
      pstnCalling,
      limitFetches: (callId) => limitFetches(`${organizationId} ${callId}`),
      respond: async (received) => {
        const callers = new Map<string, string | undefined>()
        const stop = service.onRequest(({ requestId, caller }) => {
          callers.set(requestId, caller?.organization.id)
        })
        try {
          const reference = await service.fetch(received, options)
          requestId = reference.headers.get('x-request-id') ?? ''
          organizationId = callers.get(requestId)
          return reference
        } finally {
          stop()
        }
      },
      findCall: async (callId) =>
        organizationId === undefined ? undefined : (await service.calls.find(organizationId, callId))?.call,
    })
    // Identifies the log's entry about the request, which is then corrected to this response.
    response.headers.set('x-request-id', requestId)
    return response
  }
}
