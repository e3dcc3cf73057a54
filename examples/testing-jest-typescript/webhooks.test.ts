import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { DatabaseSync } from 'node:sqlite'
import { createMock } from 'wabakit/mock'
import { type EventMatchers, matchers } from 'wabakit/mock/matchers'
import { stopServer } from 'wabakit/webhooks/node'
import { createApp } from './webhooks'

declare global {
  namespace jest {
    interface Matchers<R> extends EventMatchers<R> {}
  }
}
expect.extend(matchers)

test('the recap of a call is kept once, although a live service sends its summary twice', async () => {
  const token = 'an-example-token'
  // A database of this test alone: a started receiver on the same one would handle its events.
  const database = new DatabaseSync(':memory:')
  database.exec('CREATE TABLE recaps (call_id TEXT, recap TEXT)')
  const { app, receiver } = createApp(database, token)
  const server = app.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo

  const mock = await createMock({ profile: 'live', webhookAuth: { urlToken: token } })
  try {
    const url = `http://127.0.0.1:${port}/webhooks`
    await mock.subscribe({ url, channel: 'PSTN', number: mock.pstnNumber })
    mock.faults.deliveries.duplicate('CALL_AI_SUMMARY')
    const { callId } = await mock.simulateCall({ summary: { recap: 'Wants a refund.', after: '30s' } })
    await mock.clock.advance('30s')
    mock.faults.assertUsed()
    expect(mock).toHaveReceivedEvent('CALL_AI_SUMMARY', { callId })

    // The application calls receiver.start() instead, which handles what is stored in the background.
    await receiver.drain()
    const recaps = database.prepare('SELECT * FROM recaps').all()
    expect(recaps).toEqual([{ call_id: callId, recap: 'Wants a refund.' }])
  } finally {
    await mock.close()
    await stopServer(server, { receiver })
    database.close()
  }
})
