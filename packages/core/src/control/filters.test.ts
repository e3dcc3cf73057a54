import { expect, test } from 'vitest'
import { DeliveryFilter, selectDeliveries } from './filters.ts'

test.each([
  ['5xx', [500, 599, 100]],
  ['4xx', [400, 499, 100]],
  ['404', [404, 404, 1]],
  ['none', [0, 0, 1]],
])('the response %s selects every status of its class, and no other', (response, expected) => {
  const { responses = [] } = selectDeliveries(DeliveryFilter.parse({ response }))
  expect([Math.min(...responses), Math.max(...responses), new Set(responses).size]).toEqual(expected)
})

const day = (number: number): string => `2026-01-0${number}T00:00:00.000Z`

test('each filter of deliveries selects by its own condition', () => {
  const filter = {
    name: 'CALL_ENDED,CALL_ACCEPTED',
    call: 'c1',
    subscription: 'sub_1',
    number: '+15550100001',
    from: day(1),
    before: day(2),
    finishedFrom: day(3),
    finishedBefore: day(4),
    attemptedFrom: day(5),
    attemptedBefore: day(6),
    response: '404',
    anyResponse: 'none',
    text: 'Order',
    status: 'pending',
    event: 'evt_1',
  }
  const others = Object.keys(DeliveryFilter.shape).filter((name) => !(name in filter))
  expect(others).toEqual(['group'])
  expect(selectDeliveries(DeliveryFilter.parse(filter))).toEqual({
    names: ['CALL_ENDED', 'CALL_ACCEPTED'],
    subject: 'call:c1',
    subscriptionId: 'sub_1',
    digits: '15550100001',
    text: 'Order',
    statuses: ['pending'],
    eventId: 'evt_1',
    responses: [404],
    anyResponses: [0],
    occurredFrom: Date.parse(day(1)),
    occurredBefore: Date.parse(day(2)),
    finishedFrom: Date.parse(day(3)),
    finishedBefore: Date.parse(day(4)),
    attemptedFrom: Date.parse(day(5)),
    attemptedBefore: Date.parse(day(6)),
  })
})
