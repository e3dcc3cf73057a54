import type { CallAiSummaryEvent, GroupCreatedEvent } from '@wabakit/contract'
import { expect, expectTypeOf } from 'vitest'
import { createMock } from '../create-mock.ts'

const mock = await createMock()

expectTypeOf(await mock.waitForEvent('CALL_AI_SUMMARY')).toEqualTypeOf<CallAiSummaryEvent>()
expectTypeOf((await mock.waitForDelivery('GROUP_CREATED')).event).toEqualTypeOf<GroupCreatedEvent>()

await mock.waitForEvent('CALL_AI_SUMMARY', { callId: expect.any(String), summary: { recap: /refund/ } })
await mock.waitForEvent('CALL_AI_SUMMARY', (event) => event.summary.keyPoints.length > 2)
// @ts-expect-error no such field
await mock.waitForEvent('CALL_AI_SUMMARY', { calId: 'call-1' })
// @ts-expect-error no such event
await mock.waitForEvent('CALL_SUMMARY')
// @ts-expect-error not a duration
await mock.clock.advance('soon')
// @ts-expect-error no such outcome
await mock.simulateCall({ outcome: 'busy' })
// @ts-expect-error no such endpoint
mock.faults.next('groups.delete', { status: 500 })
// @ts-expect-error no such fault
mock.faults.next('groups.create', { explode: true })
