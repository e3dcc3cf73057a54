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
