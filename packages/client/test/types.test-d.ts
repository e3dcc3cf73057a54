import {
  type ApiError,
  type ApiPromise,
  type Clock,
  createClient,
  isApiError,
  isWabakitError,
  type Logger,
  type OutcomeUnknownError,
  type WabakitErrorCode,
} from '@wabakit/client'
import type { CallSummary, CreateGroupResponse, ErrorCode, OpenEnum, SummaryRecord } from '@wabakit/contract'
import { createReceiver, unsigned } from '@wabakit/webhooks'
import { fetch as undiciFetch } from 'undici'
import { expectTypeOf } from 'vitest'
import { nodeFetch } from './node-fetch.ts'

const client = createClient({ baseUrl: 'https://api.example.com', apiKey: process.env.WABAKIT_API_KEY })
const group = { wabaNumber: '1', subject: 's' }

// Calls.
expectTypeOf(client.groups.create(group)).toEqualTypeOf<ApiPromise<CreateGroupResponse>>()
expectTypeOf(client.calls.getSummary('c')).resolves.toEqualTypeOf<SummaryRecord>()
expectTypeOf(client.calls.waitForSummary('c')).toEqualTypeOf<Promise<SummaryRecord>>()
const { response, requestId } = await client.groups.create(group).withResponse()
expectTypeOf(response).toEqualTypeOf<Response>()
expectTypeOf(requestId).toEqualTypeOf<string | undefined>()

// Inputs.
client.groups.create({ ...group, description: undefined, joinApprovalMode: 'auto_approve' })
// @ts-expect-error subject is required
client.groups.create({ wabaNumber: '1' })
// @ts-expect-error not one of the two modes
client.groups.create({ ...group, joinApprovalMode: 'anyone' })
// @ts-expect-error not a field
client.groups.create({ ...group, title: 's' })

// Records: callId and summary are required, the rest is optional, and unknown fields are errors.
const record = await client.calls.getSummary('c')
expectTypeOf(record.callId).toEqualTypeOf<string>()
expectTypeOf(record.summary).toEqualTypeOf<CallSummary>()
expectTypeOf(record.channel).toEqualTypeOf<OpenEnum<'PSTN' | 'WHATSAPP'> | '' | null | undefined>()
// @ts-expect-error misspelled
record.calId

// Errors.
declare const error: unknown
if (isApiError(error)) {
  expectTypeOf(error).toEqualTypeOf<ApiError>()
  expectTypeOf(error.code).toEqualTypeOf<ErrorCode | 'unknown'>()
  // @ts-expect-error not on the closed list
  error.code === 'no_such_code'
}
if (isWabakitError(error)) expectTypeOf(error.code).toEqualTypeOf<WabakitErrorCode>()
expectTypeOf<OutcomeUnknownError['name']>().toEqualTypeOf<'OutcomeUnknownError'>()

// Common values fit the options.
expectTypeOf(console).toExtend<Logger>()
expectTypeOf({ now: Date.now, sleep: async (_ms: number) => {} }).toExtend<Clock>()
createClient({ fetch: globalThis.fetch })
createClient({ fetch: undiciFetch })
createClient({ fetch: nodeFetch })
createClient({ fetch: (url, init) => fetch(url, init) })
createClient({
  fetch: async (url: string, init?: RequestInit) => new Response(url, { status: init?.body ? 200 : 404 }),
})
// @ts-expect-error it gets a URL, not a Request
createClient({ fetch: async (request: Request) => new Response(request.url) })
// @ts-expect-error not a response
createClient({ fetch: async () => 'ok' })
createClient({ auth: (headers, apiKey) => headers.set('x-key', apiKey ?? '') })
client.calls.waitForSummary('c', {
  events: createReceiver({ verify: unsigned() }),
  signal: AbortSignal.timeout(1),
})
// @ts-expect-error a scheme goes with a header
createClient({ auth: { scheme: 'Bearer' } })
// @ts-expect-error not a mode
createClient({ retry: { writes: 'never' } })
// @ts-expect-error not an option
createClient({ timeout: 5 })
