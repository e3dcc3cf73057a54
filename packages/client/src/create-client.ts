import type { CreateGroupRequest, CreateGroupResponse, SummaryRecord } from '@wabakit/contract'
import type { ApiPromise } from './api-promise.ts'
import type { ClientOptions, RequestOptions } from './client-options.ts'
import { createGroup } from './create-group.ts'
import { getSummary } from './get-summary.ts'
import { settingsOf } from './settings.ts'

/** The service's two endpoints. */
export type Client = {
  /** WhatsApp groups. */
  readonly groups: {
    /** Creates a group. */
    create(input: CreateGroupRequest, options?: RequestOptions): ApiPromise<CreateGroupResponse>
  }
  /** Calls and their summaries. */
  readonly calls: {
    /** Fetches the AI summary of a call. */
    getSummary(callId: string, options?: RequestOptions): ApiPromise<SummaryRecord>
  }
}

/** Creates a client of the service. */
export const createClient = (options: ClientOptions = {}): Client => {
  const settings = settingsOf(options)
  return {
    groups: { create: (input, options = {}) => createGroup(settings, input, options) },
    calls: { getSummary: (callId, options = {}) => getSummary(settings, callId, options) },
  }
}
