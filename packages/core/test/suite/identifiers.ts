import { ok, rejects } from '../store-cases/assert.ts'
import { defineCases } from './cases.ts'
import { createScenario, customer, summary, waba } from './scenario.ts'

/** No store can save it. */
const bad = 'a\0'

/** Identifiers and other strings that not every store can save or compare. */
export const identifierCases = defineCases('Identifiers', {
  'with a NUL character are refused by every operation, which names the field': async () => {
    const { server } = await createScenario()
    const { apiKeys, calls, deliveries, erasures, events, groups, organizations, participants } = server
    const { subscriptions, summaries } = server
    const url = 'https://receiver.example/'
    const start = {
      channel: 'PSTN',
      direction: 'INCOMING',
      channelNumber: '1',
      customerNumber: customer,
    } as const
    const refused: Readonly<Record<string, ReadonlyArray<() => Promise<unknown>>>> = {
      organizationId: [
        () => organizations.find(bad),
        () => organizations.update(bad, {}),
        () => organizations.remove(bad),
        () => apiKeys.create(bad),
        () => apiKeys.list(bad),
        () => apiKeys.remove(bad, 'key'),
        () => groups.create(bad, { wabaNumber: waba, subject: 'x' }),
        () => groups.find(bad, 'g'),
        () => groups.list(bad),
        () => participants.join(bad, { groupId: 'g', phone: customer }),
        () => participants.find(bad, { groupId: 'g', phone: customer }),
        () => calls.start(bad, start),
        () => calls.accept(bad, 'c'),
        () => calls.find(bad, 'c'),
        () => calls.list(bad),
        () => summaries.save(bad, 'c', summary, { generatedBy: 'automatic' }),
        () => subscriptions.create(bad, { channel: 'WHATSAPP', number: waba, url }),
        () => subscriptions.list(bad),
        () => subscriptions.find(bad, 'sub'),
        () => subscriptions.update(bad, 'sub', {}),
        () => subscriptions.rotateSecret(bad, 'sub'),
        () => subscriptions.remove(bad, 'sub'),
        () => events.list(bad),
        () => deliveries.list(bad),
        () => deliveries.attempts(bad, 'd'),
        () => deliveries.lastAttempts(bad, ['d']),
        () => deliveries.resend(bad, { all: true }),
        () => deliveries.cancelPart(bad, { all: true }),
        () => deliveries.sign(bad, 'd', 0),
        () => deliveries.cancel(bad, 'd'),
        () => deliveries.retry(bad, 'd'),
        () => erasures.erase(bad, { callId: 'c' }),
      ],
      keyId: [() => apiKeys.remove('acme', bad)],
      groupId: [
        () => groups.find('acme', bad),
        () => participants.join('acme', { groupId: bad, phone: customer }),
        () => participants.find('acme', { groupId: bad, phone: customer }),
      ],
      callId: [
        () => calls.accept('acme', bad),
        () => calls.find('acme', bad),
        () => summaries.save('acme', bad, summary, { generatedBy: 'automatic' }),
        () => erasures.erase('acme', { callId: bad }),
      ],
      subscriptionId: [
        () => subscriptions.find('acme', bad),
        () => subscriptions.update('acme', bad, {}),
        () => subscriptions.rotateSecret('acme', bad),
        () => subscriptions.remove('acme', bad),
        () => events.list('acme', { subscriptionId: bad }),
      ],
      deliveryId: [
        () => deliveries.list('acme', { deliveryId: bad }),
        () => deliveries.attempts('acme', bad),
        () => deliveries.sign('acme', bad, 0),
        () => deliveries.cancel('acme', bad),
        () => deliveries.retry('acme', bad),
      ],
      eventId: [() => deliveries.list('acme', { eventId: bad }), () => events.list('acme', { eventId: bad })],
      subject: [() => events.list('acme', { subject: bad })],
      name: [() => events.list('acme', { names: ['CALL_ENDED', bad] })],
      text: [
        () => groups.list('acme', { text: bad }),
        () => calls.list('acme', { text: bad }),
        () => events.list('acme', { text: bad }),
      ],
    }
    for (const [path, operations] of Object.entries(refused)) {
      for (const operation of operations) {
        const error = await rejects(operation(), { code: 'invalid_input' })
        ok(error instanceof Error && error.message.startsWith(`${path}: `), `${operation}: ${error}`)
      }
    }
  },
})
