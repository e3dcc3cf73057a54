import * as z from 'zod/mini'
import type { LoggedBodies, LoggedRequest } from '../../hosting/request-log.ts'
import { named, Utc } from '../schemas.ts'

const request = {
  requestId: z.string(),
  at: Utc,
  method: z.string(),
  path: z.string(),
  endpoint: z.nullable(z.enum(['groups.create', 'calls.getSummary'])),
  status: z.nullable(z.number()),
  code: z.nullable(z.string()),
  durationMs: z.number(),
  organizationId: z.nullable(z.string()),
  keyId: z.nullable(z.string()),
  keyLabel: z.nullable(z.string()),
  groupId: z.nullable(z.string()),
  callId: z.nullable(z.string()),
  address: z.nullable(z.string()),
  userAgent: z.nullable(z.string()),
  query: z.nullable(z.string()),
  keyFingerprint: z.nullable(z.string()),
  keyFault: z.nullable(z.enum(['missing', 'unknown', 'conflicting'])),
  repeated: z.boolean(),
}

export const ApiRequestView = named(
  'ApiRequest',
  'A request of the public API and who sent it, without its key and its bodies. `organizationId`, `keyId` and `keyLabel` are null if the key was not valid or not looked up. `keyFault` says why there is no caller: the key was `missing`, `unknown`, or the headers had `conflicting` ones. `keyFingerprint` is the beginning of the SHA-256 of the key that was sent, as in `ApiKey`. `query` has masked values. `status` is null if a fault dropped the connection. `repeated` means that the same request created the group earlier.',
  z.object(request),
)

export const ApiRequestDetailsView = named(
  'ApiRequestDetails',
  'A request of the public API with the bodies of request and response: at most 4,096 characters of each, and none of the key. A body is null if there was none, if it was not read because the request was refused or a fault answered it before, if it is not UTF-8, or if it is no longer kept: the last 1,000 requests keep theirs, unless their call was erased.',
  z.object({
    ...request,
    requestBody: z.nullable(z.string()),
    responseBody: z.nullable(z.string()),
  }),
)

export const showRequest = (request: LoggedRequest) =>
  z.encode(ApiRequestView, { ...request, at: request.startedAt, repeated: request.isRepeated })

export const showRequestDetails = ({
  requestBody,
  responseBody,
  ...request
}: LoggedRequest & LoggedBodies) => ({ ...showRequest(request), requestBody, responseBody })
