import { expect, test } from 'vitest'
import { isApiError } from 'wabakit'
import { createMock } from 'wabakit/mock'
import { createReceiver, urlToken } from 'wabakit/webhooks'
import profile from './wabakit.profile.json' with { type: 'json' }

const token = 'example-token-of-24-characters'

// `wabakit probe` and `wabakit capture` write such a file. A path works, too, and so does WABAKIT_PROFILE.
test('an application works with the service as it was measured', async () => {
  await using mock = await createMock({ profile, webhookAuth: { header: 'x-token', value: token } })
  const customers: string[] = []
  const receiver = createReceiver({ verify: urlToken({ token }) })
  receiver.on('CALL_ENDED', ({ customerNumber }) => customers.push(`${customerNumber}`.replace('+', '')))
  mock.deliverTo(receiver, { url: `https://app.example/webhooks?token=${token}` })

  for (let call = 0; call < 2; call++)
    await mock.simulateCall({ channel: 'WHATSAPP', customerNumber: '+12025550143' })
  await mock.clock.advance(0)

  // The number has a plus sign in one of the two events.
  expect(customers).toEqual(['12025550143', '12025550143'])
  expect(mock.deliveries.some(({ headers }) => headers.has('x-token'))).toBe(false)
  await expect(mock.client().calls.getSummary('call-1')).rejects.toSatisfy(isApiError)
})
