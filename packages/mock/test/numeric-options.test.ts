import * as packageExports from '@wabakit/mock'
import { type NumericOptions, testNumericOptions } from '../../../tools/numeric-options.ts'

const { createMock } = packageExports
const mock = await createMock()
const { faults } = mock

const limit = (name: 'organization' | 'key' | 'ip') =>
  ({
    [`rateLimit.${name}.requests`]: (requests: number) =>
      createMock({ rateLimit: { [name]: { requests, perMs: 1_000 } } }),
    [`rateLimit.${name}.perMs`]: (perMs: number) =>
      createMock({ rateLimit: { [name]: { requests: 1, perMs } } }),
  }) as Record<`rateLimit.${typeof name}.${'requests' | 'perMs'}`, (value: number) => unknown>

testNumericOptions('mock', {
  createMock: {
    port: (port) => createMock({ port }),
    'live.registrations': (registrations) => createMock({ profile: 'live', live: { registrations } }),
    ...limit('organization'),
    ...limit('key'),
    ...limit('ip'),
  },
  // A seed may be any whole number.
} satisfies NumericOptions<typeof packageExports, 'seed'>)

testNumericOptions('faults', {
  next: {
    status: (status) => faults.next('*', { status: status as never }),
    latencyMs: (latencyMs) => faults.next('*', { latencyMs }),
    chance: (chance) => faults.next('*', { status: 500 }, { chance }),
  },
} satisfies NumericOptions<typeof faults>)
const { deliveries } = faults
testNumericOptions('faults.deliveries', {
  duplicate: {
    copies: (copies) => deliveries.duplicate('*', { copies }),
    chance: (chance) => deliveries.duplicate('*', { chance }),
  },
  drop: { chance: (chance) => deliveries.drop('*', { chance }) },
  timeOut: { chance: (chance) => deliveries.timeOut('*', { chance }) },
  neverRetry: { chance: (chance) => deliveries.neverRetry('*', { chance }) },
  delay: { chance: (chance) => deliveries.delay('*', { by: '1s', chance }) },
  tamper: { chance: (chance) => deliveries.tamper('*', { part: 'body', chance }) },
  reorder: { chance: (chance) => deliveries.reorder(['CALL_ENDED', 'CALL_ACCEPTED'], { chance }) },
  add: {
    chance: (chance) => deliveries.add({ kind: 'drop', event: '*', chance }),
    copies: (copies) => deliveries.add({ kind: 'duplicate', event: '*', copies }),
  },
} satisfies NumericOptions<typeof deliveries>)

testNumericOptions('waits', {
  waitForEvent: { timeoutMs: (timeoutMs) => mock.waitForEvent('CALL_ENDED', {}, { timeoutMs }) },
  waitForDelivery: { timeoutMs: (timeoutMs) => mock.waitForDelivery('CALL_ENDED', {}, { timeoutMs }) },
  simulateCall: {
    durationInSeconds: (durationInSeconds) => mock.simulateCall({ durationInSeconds }),
    notPicked: (notPicked) => mock.simulateCall({ notPicked }),
  },
  expectNoEvent: { forMs: (forMs) => mock.expectNoEvent('CALL_ENDED', {}, { forMs }) },
} satisfies NumericOptions<Omit<typeof mock, 'client' | 'fetch' | 'tenant'>>)
