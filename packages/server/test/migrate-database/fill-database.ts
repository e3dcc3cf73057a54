import { createReferenceServer, type Store } from '@wabakit/core'
import { sqliteStore } from '../../src/stores/sqlite/sqlite-store.ts'

const minute = 60_000
const day = 24 * 60 * minute

const answers: Readonly<Record<string, number>> = { '/takes': 200, '/fails': 500, '/gone': 410 }

const number = '+1 555 0100001'
const telephone = '+15550100002'
const summary = { recap: 'Asked for "Ölwechsel" 🚗\n\u0001', keyPoints: ['a\tb', ''], nextSteps: [] }

const subscribe = async (
  { subscriptions }: ReturnType<typeof createReferenceServer>,
  input: { readonly path: string; readonly channel?: 'PSTN'; readonly enabled?: false },
): Promise<string> => {
  const { path, channel = 'WHATSAPP', enabled } = input
  const { id } = await subscriptions.create('acme', {
    channel,
    number: channel === 'PSTN' ? telephone : number,
    // Nothing listens there, so attempts after the migration fail.
    url: path.startsWith('http') ? path : `http://127.0.0.1:9${path}`,
    enabled,
  })
  return id
}

/**
 * Fills a SQLite file through the service, with records of every kind and deliveries in every state, over the past four
 * days.
 *
 * @param url - the URL of a subscription whose deliveries are all pending.
 */
export const fillDatabase = async (path: string, url: string): Promise<void> => {
  let now = Date.now() - 4 * day
  const store: Store = sqliteStore({ path })
  const server = createReferenceServer({
    store,
    clock: { now: () => now },
    fetch: async (to) => new Response('seen: ü', { status: answers[new URL(to).pathname] ?? 500 }),
    delivery: { random: () => 0.123_456_789 },
    allowLoopbackHttp: true,
    organizations: [
      { id: 'gone', pstnNumbers: [telephone] },
      {
        id: 'acme',
        callSummaries: 'manual',
        integrations: [{ wabaNumber: number, joinApprovalMode: 'approval_required' }],
        pstnNumbers: [telephone],
        apiKeys: [
          { key: 'wk_all_0123456789' },
          { key: 'wk_one_0123456789', label: 'one', wabaNumbers: [number] },
        ],
      },
      { id: 'other', integrations: [{ wabaNumber: number, enabled: false }], pstnNumbers: [] },
    ],
  })
  const { groups, participants, calls, summaries, dispatcher, subscriptions, deliveries } = server
  await server.ready()
  server.figures.start()
  await server.organizations.update('acme', { callSummaries: 'automatic' })
  const [takes, , , stops] = [
    await subscribe(server, { path: '/takes' }),
    await subscribe(server, { path: '/fails' }),
    await subscribe(server, { path: '/gone' }),
    await subscribe(server, { path: '/stops', channel: 'PSTN' }),
    await subscribe(server, { path: '/disabled', channel: 'PSTN', enabled: false }),
  ]
  const group = (groupId: string) =>
    groups.create('acme', { wabaNumber: number, subject: 'Ä', groupId, description: 'Line\nbreak' })

  // Delivered, gone with its followers skipped, and failing until exhausted.
  await group('g-exhausted')
  await participants.join('acme', { groupId: 'g-exhausted', phone: '+1 555 0199001' })
  await participants.leave('acme', { groupId: 'g-exhausted', phone: '+15550199001' })
  for (let due: number | undefined = now; due !== undefined; due = await dispatcher.nextDueAt()) {
    now = due
    await dispatcher.runDue()
  }
  await subscriptions.rotateSecret('acme', takes, { overlapMs: 30 * day })
  await subscriptions.update('acme', takes, { events: ['GROUP_CREATED', 'GROUP_PARTICIPANT_JOINED'] })
  await deliveries.resend('acme', { subscriptionId: takes }, { newWebhookId: true })
  await dispatcher.runDue()

  // A delivery that failed three times lets the next one pass, which blocks the lane for another one.
  await group('g-passed')
  for (const phone of ['+15550199001', '+15550199002', '+15550199003']) {
    await participants.join('acme', { groupId: 'g-passed', phone })
  }
  for (let failures = 0; failures < 3; failures++) {
    await dispatcher.runDue()
    now += 6 * minute
  }

  // A call whose summary waits for the call's end.
  now = Date.now() - minute
  await subscribe(server, { path: url, channel: 'PSTN' })
  const simulateCall = async (): Promise<string> => {
    const { callId } = await calls.start('acme', {
      channel: 'PSTN',
      direction: 'INCOMING',
      channelNumber: telephone,
      customerNumber: '+15550199001',
    })
    await calls.accept('acme', callId, { startedAt: now - 42_000 })
    await calls.end('acme', callId, { durationInSeconds: 42 })
    return callId
  }
  const callId = await simulateCall()
  await summaries.save('acme', callId, summary, { generatedBy: 'automatic' })
  // Only the mark of its summary remains.
  const erased = await simulateCall()
  await summaries.save('acme', erased, summary, { generatedBy: 'automatic' })
  await server.erasures.erase('acme', { callId: erased })
  const missed = { channel: 'WHATSAPP', direction: 'INCOMING', channelNumber: number } as const
  await calls.start('acme', {
    ...missed,
    callId: 'missed',
    customerNumber: '1',
    botTest: { webhooks: false },
  })
  await calls.miss('acme', 'missed')
  await subscriptions.update('acme', stops, { enabled: false })
  // Numbers of removed rows are not assigned again.
  await subscriptions.remove('acme', await subscribe(server, { path: '/removed' }))
  await server.organizations.remove('gone')
  await server.figures.stop()
  await store.close()
}
