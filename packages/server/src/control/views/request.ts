import * as z from 'zod/mini'
import type { LoggedRequest } from '../request-log.ts'
import { named, Utc } from '../schemas.ts'

export const ApiRequestView = named(
  'ApiRequest',
  'A request of the public API, without its key and its body. `organizationId` and the key are null without a valid key. `repeated` means that the same request created the group earlier.',
  z.object({
    requestId: z.string(),
    at: Utc,
    method: z.string(),
    path: z.string(),
    endpoint: z.nullable(z.enum(['groups.create', 'calls.getSummary'])),
    status: z.number(),
    code: z.nullable(z.string()),
    durationMs: z.number(),
    organizationId: z.nullable(z.string()),
    keyId: z.nullable(z.string()),
    keyLabel: z.nullable(z.string()),
    groupId: z.nullable(z.string()),
    callId: z.nullable(z.string()),
    repeated: z.boolean(),
  }),
)

export const showRequest = (request: LoggedRequest) =>
  z.encode(ApiRequestView, { ...request, at: request.startedAt, repeated: request.isRepeated })
