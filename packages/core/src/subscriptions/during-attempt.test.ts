import { expect, test } from 'vitest'
import { createReferenceServer } from '../create-reference-server.ts'

const wabaNumber = '+15550100001'

/** A server whose endpoint is handling the first of two events of a group, until `respond` is called. */
const startAttempt = async () => {
  let time = Date.UTC(2026, 0, 1)
  const sent: { readonly url: string; readonly name: string; readonly signatures: number }[] = []
  const started = Promise.withResolvers<void>()
  const response = Promise.withResolvers<Response>()
  const server = createReferenceServer({
    organizations: [{ id: 'acme', integrations: [{ wabaNumber }] }],
    clock: { now: () => time },
    fetch: async (url, { headers, body }) => {
      const signatures = headers['webhook-signature']?.split(' ').length ?? 0
      sent.push({ url, name: JSON.parse(body).groupId, signatures })
      started.resolve()
      return sent.length === 1 ? response.promise : new Response()
    },
  })
  await server.ready()
  const url = 'https://receiver.example/old'
  const { id } = await server.subscriptions.create('acme', { channel: 'WHATSAPP', number: wabaNumber, url })
  const createGroup = (groupId: string) =>
    server.groups.create('acme', { wabaNumber, subject: 'Team', groupId })
  await createGroup('first')
  const ran = server.dispatcher.runDue()
  await started.promise
  const statuses = async () => {
    const { items } = await server.deliveries.list('acme')
    return items.map(({ status }) => status).toSorted()
  }
  /** Ends the attempt with a status, and makes the attempts that are then due within an hour. */
  const respond = async (status: number): Promise<void> => {
    response.resolve(new Response(null, { status }))
    await ran
    time += 3_600_000
    await server.dispatcher.runDue()
  }
  return { server, id, sent, createGroup, statuses, respond }
}

test('an edit during an attempt that fails sends the next attempt to the new URL', async () => {
  const { server, id, sent, statuses, respond } = await startAttempt()
  await server.subscriptions.update('acme', id, { url: 'https://receiver.example/new' })
  await respond(500)

  expect(sent.map(({ url }) => url)).toEqual(['https://receiver.example/old', 'https://receiver.example/new'])
  expect(await statuses()).toEqual(['delivered'])
})

test('a rotation during an attempt that fails signs the next attempt with both secrets', async () => {
  const { server, id, sent, respond } = await startAttempt()
  await server.subscriptions.rotateSecret('acme', id)
  await respond(500)

  expect(sent.map(({ signatures }) => signatures)).toEqual([1, 2])
})

test.each([
  [200, ['delivered', 'skipped']],
  [500, ['skipped', 'skipped']],
])('after a disabling during an attempt that ends with %i, nothing more is sent', async (status, left) => {
  const { server, id, sent, createGroup, statuses, respond } = await startAttempt()
  await server.subscriptions.update('acme', id, { enabled: false })
  await createGroup('second')
  await respond(status)

  expect([sent.length, await statuses()]).toEqual([1, left])
})

test('a disabling that is undone during an attempt loses nothing that is sent again by hand', async () => {
  const { server, id, sent, statuses, respond } = await startAttempt()
  await server.subscriptions.update('acme', id, { enabled: false })
  await server.subscriptions.update('acme', id, { enabled: true })
  await respond(500)
  await server.deliveries.resend('acme', { subscriptionId: id })
  await server.dispatcher.runDue()

  expect([sent.length > 1, await statuses()]).toEqual([true, ['delivered']])
})

test.each([200, 500])(
  'a removal during an attempt that ends with %i removes its deliveries for good',
  async (status) => {
    const { server, id, sent, createGroup, statuses, respond } = await startAttempt()
    await server.subscriptions.remove('acme', id)
    await createGroup('second')
    await respond(status)

    expect([sent.length, await statuses(), await server.subscriptions.find('acme', id)]).toEqual([
      ...[1, [], undefined],
    ])
  },
)
