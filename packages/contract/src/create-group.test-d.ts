import { type EndpointName, type ErrorCode, isErrorCode } from '@wabakit/wire'
import { expectTypeOf } from 'vitest'
import type { CreateGroupRequest, CreateGroupResponse } from './create-group.ts'
import type { ErrorBody, ReceivedErrorBody } from './error-body.ts'
import type { Issue } from './issue.ts'
import type { CallDirection, CallType, Channel, JoinApprovalMode, TriggeredVia } from './vocabulary.ts'

expectTypeOf<CreateGroupRequest>().toEqualTypeOf<{
  wabaNumber: string
  subject: string
  description?: string | undefined
  joinApprovalMode?: 'auto_approve' | 'approval_required' | undefined
  groupId?: string | undefined
}>()
expectTypeOf<CreateGroupResponse>().toEqualTypeOf<{ success: true; groupId: string }>()

declare const request: CreateGroupRequest
// @ts-expect-error: a misspelled field: there is no index signature
request.subjekt
// @ts-expect-error: a misspelled field
request satisfies { subject: string; groupID: string }

expectTypeOf<Channel>().toEqualTypeOf<'PSTN' | 'WHATSAPP'>()
expectTypeOf<CallDirection>().toEqualTypeOf<'INCOMING' | 'OUTGOING'>()
expectTypeOf<CallType>().toEqualTypeOf<'AI_BOT' | 'AGENT'>()
expectTypeOf<TriggeredVia>().toEqualTypeOf<'INBOUND' | 'CAMPAIGN' | 'API' | 'UI'>()
expectTypeOf<JoinApprovalMode>().toEqualTypeOf<'auto_approve' | 'approval_required'>()
expectTypeOf<EndpointName>().toEqualTypeOf<'groups.create' | 'calls.getSummary'>()

expectTypeOf<ErrorBody>().toEqualTypeOf<{
  statusCode: number
  error: string
  message: string
  code: ErrorCode
  issues?: Issue[] | undefined
}>()
expectTypeOf<ReceivedErrorBody>().toEqualTypeOf<{
  statusCode?: number | undefined
  error?: string | undefined
  message?: string | string[] | undefined
  code?: string | undefined
  issues?: Issue[] | undefined
}>()

declare const code: unknown
if (isErrorCode(code)) expectTypeOf(code).toEqualTypeOf<ErrorCode>()
// @ts-expect-error: the list of codes is closed
'made_up' satisfies ErrorCode
