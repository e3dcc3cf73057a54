import { expect, test } from 'vitest'
import { checkHealth } from './health-rules.ts'

const delivery = {
  eventId: 'evt_1',
  shard: null,
  status: 'delivered',
  attempts: 2,
  recorded: 2,
  succeeded: 1,
}
const failing = {
  type: 'subscription.failing',
  data: { subscriptionId: 'sub_1', eventId: 'evt_1', attempts: 1 },
}
const recovered = { type: 'subscription.recovered', data: { ...failing.data, attempts: 2 } }

const check = (health: Parameters<typeof checkHealth>[0]['health'], isReported = false): string[] => {
  const rules: string[] = []
  const contents = { health, reported: new Map([['sub_1', isReported]]), deliveries: [delivery] }
  checkHealth(contents, (rule) => rules.push(rule))
  return rules
}

test('a failure and its recovery are reported once each', () => {
  expect(check([])).toEqual([])
  expect(check([failing, recovered])).toEqual([])
  expect(check([failing, failing, recovered])).toEqual(['reported twice'])
  expect(check([failing, recovered, recovered])).toEqual(['reported twice'])
})

test('each report is caused by attempts, and every recovery is reported', () => {
  expect(check([recovered])).toEqual(['reported without a cause'])
  expect(check([{ ...failing, data: recovered.data }, recovered])).toEqual(['reported without a cause'])
  expect(check([failing], true)).toEqual(['recovery not reported'])
  expect(check([failing, recovered], true)).toEqual(['final state not reported'])
})
