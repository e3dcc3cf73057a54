import type { MeasuredProfile } from '@wabakit/contract/profile'
import type { LiveSettings } from '@wabakit/core/simulation'
import { createChoose } from './choose-value.ts'
import { createMeasuredApi } from './measured-api.ts'
import { createMeasuredCredentials } from './measured-credentials.ts'
import { createMeasuredDeliveries } from './measured-deliveries.ts'
import { createMeasuredRepeats } from './measured-repeats.ts'

export { loadProfile } from './load-profile.ts'

type ImitationOptions = {
  readonly profile: MeasuredProfile
  readonly seed: number
  readonly organizationId: string
  readonly apiKey: string
  readonly settings: LiveSettings
  readonly live: typeof import('@wabakit/core/live')
}

/** Creates the imitation of a service that was measured. What was not measured is as in the profile `live`. */
export const imitate = ({ profile, seed, organizationId, apiKey, settings, live }: ImitationOptions) => {
  const choose = createChoose(seed, organizationId)
  return {
    respond: createMeasuredApi({ api: profile.api, choose, apiKey }),
    ...createMeasuredDeliveries({ profile, choose, settings, live }),
    playCredentials: createMeasuredCredentials({ deliveries: profile.deliveries, choose }),
    ...createMeasuredRepeats({ deliveries: profile.deliveries, choose }),
  }
}
