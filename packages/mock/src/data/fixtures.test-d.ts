import type { CallAiSummaryEvent, WebhookEvent } from '@wabakit/contract'
import { expectTypeOf } from 'vitest'
import { fixtures } from './fixtures.ts'

expectTypeOf(fixtures.event('CALL_AI_SUMMARY')).toExtend<CallAiSummaryEvent>()
expectTypeOf(fixtures.event('CALL_MISSED')).toExtend<WebhookEvent>()
expectTypeOf(fixtures.event('CALL_ENDED').callStatus).toEqualTypeOf<'END'>()

fixtures.event('CALL_AI_SUMMARY', { channel: 'WHATSAPP', summary: { recap: 'x' }, agentNumber: undefined })
// @ts-expect-error no such event
fixtures.event('CALL_SUMMARY')
// @ts-expect-error no such field
fixtures.event('CALL_AI_SUMMARY', { calId: 'x' })
// @ts-expect-error no such channel
fixtures.event('CALL_AI_SUMMARY', { channel: 'SMS' })
// @ts-expect-error the name cannot be overridden
fixtures.event('CALL_AI_SUMMARY', { event: 'CALL_ENDED' })
