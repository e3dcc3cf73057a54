import { toAuthHeader } from '@wabakit/core/simulation'
import type { imitate } from '../measured/imitate.ts'
import type { TenantSettings } from '../mock-options.ts'
import type { TransportOptions } from './transport.ts'

type Preparation = {
  readonly settings: TenantSettings
  /** The imitation of a live service; `undefined` for the reference server. */
  readonly live: typeof import('@wabakit/core/live') | undefined
  /** The imitation of what was measured of that service; `undefined` unless the profile was measured. */
  readonly imitation: ReturnType<typeof imitate> | undefined
}

/**
 * Prepares each delivery as the profile sends it, with the credentials of the mock. A subscription's own headers replace them, and
 * a live service may drop both.
 */
export const createPreparation = ({
  settings,
  live,
  imitation,
}: Preparation): Pick<TransportOptions, 'prepare' | 'authHeader' | 'urlToken'> => {
  const { webhookAuth, live: liveSettings = {} } = settings
  const [authName, authValue] = webhookAuth === undefined ? [] : toAuthHeader(webhookAuth)
  const ownHeaders: Record<string, string> =
    authName === undefined || authValue === undefined ? {} : { [authName.toLowerCase()]: authValue }
  const ownToken = webhookAuth !== undefined && 'urlToken' in webhookAuth ? webhookAuth : undefined
  const prepareForProfile: TransportOptions['prepare'] = (init, attempted) =>
    imitation?.prepare(init, attempted) ??
    live?.toLiveDelivery(init, { ...attempted, settings: liveSettings }) ??
    init
  return {
    prepare: async (init, attempted) => {
      const { subscription } = attempted
      const prepared = await prepareForProfile(init, attempted)
      if (liveSettings.dropCredentials) return prepared
      const hasOwn = Object.keys(subscription.headers).length > 0
      const headers = hasOwn ? prepared.headers : { ...prepared.headers, ...ownHeaders }
      // A setting of the test takes precedence over what was measured.
      if (imitation === undefined || liveSettings.dropCredentials === false) return { ...prepared, headers }
      const names = Object.keys(hasOwn ? subscription.headers : ownHeaders)
      return { ...prepared, headers: imitation.playCredentials(headers, { names, subscription }) }
    },
    authHeader: authName,
    urlToken: { parameter: ownToken?.parameter ?? 'token', token: ownToken?.urlToken },
  }
}
