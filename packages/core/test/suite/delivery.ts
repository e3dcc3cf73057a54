import { memoryStore, StorageOutcomeUnknownError, StorageUnavailableError, type Store } from '@wabakit/core'
import { verifySignature } from '@wabakit/webhooks'
import { equal, includes, ok, rejects } from '../../src/testing/assert.ts'
import { defineCases } from './cases.ts'
import {
  createBody,
  createWorld,
  customer,
  playCall,
  postGroup,
  start,
  summary,
  type World,
  waba,
} from './world.ts'

const second = 1_000
const minute = 60 * second
const hour = 60 * minute
const day = 24 * hour

/** The pauses of the schedule, written down once more on purpose. */
const pauses = [
  5 * second,
  5 * minute,
  30 * minute,
  2 * hour,
  5 * hour,
  10 * hour,
  14 * hour,
  20 * hour,
  24 * hour,
]

const answer =
  (status: number, headers: Record<string, string> = {}) =>
  () =>
    new Response(null, { status, headers })

const failingWorld = async (options: Parameters<typeof createWorld>[0] = {}): Promise<World> => {
  const world = await createWorld(options)
  await world.subscribe()
  world.respond = answer(500)
  return world
}

const times = (world: World): number[] => world.sent.map(({ at }) => at - start)

const gaps = (world: World): number[] =>
  world.sent.slice(1).map(({ at }, index) => at - (world.sent[index]?.at ?? 0))

const statuses = async ({ server }: World): Promise<string[]> =>
  (await server.deliveries.list('acme')).items.map(({ status }) => status)

const join = (world: World, groupId: string) =>
  world.server.participants.join('acme', { groupId, phone: customer })

const signing = defineCases('Signing', {
  'follows Standard Webhooks: id, timestamp of the attempt, signature over the flat payload': async () => {
    const world = await createWorld()
    const { secret } = await world.server.subscriptions.create('acme', {
      channel: 'WHATSAPP',
      number: waba,
      url: 'https://receiver.example/',
    })
    await postGroup(world, { wabaNumber: waba, subject: 'é🎉', groupId: 'g1' })
    await world.advance(0)
    const [sent] = world.sent
    ok(sent !== undefined, 'it was sent')
    equal(sent.headers.get('content-type'), 'application/json')
    equal(sent.headers.get('webhook-id'), world.emissions[0]?.id)
    equal(sent.headers.get('webhook-timestamp'), String(start / 1_000))
    ok(/^v1,[\w+/]+=*$/.test(sent.headers.get('webhook-signature') ?? ''), 'one v1 signature')
    equal(JSON.parse(sent.body), world.emissions[0]?.event)
    await verifySignature({
      payload: sent.body,
      headers: sent.headers,
      secrets: [secret],
      toleranceSeconds: 0,
      now: () => start,
    })
  },

  'keeps the webhook-id on every retry, with the timestamp of the attempt': async () => {
    const world = await failingWorld()
    await postGroup(world)
    await world.advance(10 * minute)
    equal(new Set(world.sent.map(({ headers }) => headers.get('webhook-id'))).size, 1)
    const stamps = world.sent.map(({ headers }) => Number(headers.get('webhook-timestamp')))
    equal(
      stamps,
      world.sent.map(({ at }) => Math.floor(at / 1_000)),
    )
    equal(new Set(stamps).size, 3)
  },

  'can take its time from another clock': async () => {
    const world = await createWorld({ delivery: { signatureClock: { now: () => 1_614_265_330_999 } } })
    await world.subscribe()
    await postGroup(world)
    await world.advance(0)
    equal(world.sent[0]?.headers.get('webhook-timestamp'), '1614265330')
  },
})

const schedule = defineCases('Delivery schedule', {
  'without jitter: at once, then after 5 s, 5 min, 30 min, 2, 5, 10, 14, 20 and 24 h, then exhausted':
    async () => {
      const world = await failingWorld({ random: () => 0 })
      await postGroup(world)
      await world.advance(0)
      equal(times(world), [0])
      let at = 0
      for (const [index, pause] of pauses.entries()) {
        await world.advance(pause - 1)
        equal(world.sent.length, index + 1)
        await world.advance(1)
        at += pause
        equal(world.sent.length, index + 2)
        equal(times(world).at(-1), at)
      }
      equal(at, 75 * hour + 35 * minute + 5 * second)
      equal(await statuses(world), ['exhausted'])
      await world.advance(30 * day)
      equal(world.sent.length, 10)
      equal(await world.server.dispatcher.nextDueAt(), undefined)
    },

  'with jitter: each pause up to 10 % longer, never shorter': async () => {
    for (const [random, share] of [
      [() => 0.5, 0.05],
      [() => 0.999_999, 0.1],
    ] as const) {
      const world = await failingWorld({ random })
      await postGroup(world)
      await world.advance(10 * day)
      equal(
        gaps(world),
        pauses.map((pause) => Math.round(pause * (1 + (share === 0.1 ? 0.0999999 : share)))),
      )
    }
    const world = await failingWorld()
    await postGroup(world)
    await world.advance(10 * day)
    const ratios = gaps(world).map((gap, index) => gap / (pauses[index] ?? 1))
    ok(ratios.length === 9 && ratios.every((ratio) => ratio >= 1 && ratio <= 1.1), String(ratios))
    ok(new Set(ratios).size > 5, 'it is different each time')
  },

  'success is 200 to 299; everything else is tried again': async () => {
    for (const status of [200, 201, 204, 299]) {
      const world = await failingWorld()
      world.respond = answer(status)
      await postGroup(world)
      await world.advance(day)
      equal([world.sent.length, await statuses(world)], [1, ['delivered']])
    }
    for (const status of [300, 301, 302, 304, 307, 308, 400, 401, 404, 409, 422, 500, 503]) {
      const world = await failingWorld()
      world.respond = answer(status)
      await postGroup(world)
      await world.advance(6 * second)
      equal(world.sent.length, 2, String(status))
    }
  },

  'redirects are not followed': async () => {
    const requested: RequestInit[] = []
    const world = await createWorld({
      fetch: async (_, init) => {
        requested.push(init)
        return new Response(null, { status: 302, headers: { location: 'https://elsewhere.example/' } })
      },
    })
    await world.subscribe()
    await postGroup(world)
    await world.server.dispatcher.runDue()
    equal(
      requested.map(({ redirect, method }) => [redirect, method]),
      [['manual', 'POST']],
    )
    equal(await statuses(world), ['pending'])
  },

  'an endpoint that cannot be reached is tried again, and the reason is kept': async () => {
    const world = await failingWorld()
    world.respond = () => {
      throw new TypeError('fetch failed', { cause: new Error('ECONNREFUSED') })
    }
    await postGroup(world)
    await world.advance(0)
    const [delivery] = (await world.server.deliveries.list('acme')).items
    ok(delivery !== undefined, 'a delivery')
    const [attempt] = await world.server.deliveries.attempts('acme', delivery.id)
    includes(attempt, {
      status: null,
      error: 'fetch failed: ECONNREFUSED',
      responseBody: null,
      succeeded: false,
    })
  },

  '429 and 503 are listened to: never sooner than the schedule, never more than 24 h later': async () => {
    const longest = 24 * hour
    for (const [retryAfter, pause] of [
      ['60', minute],
      ['1', 5 * second],
      ['0', 5 * second],
      ['999999999', longest],
      ['9'.repeat(400), longest],
      [new Date(start + 10 * minute).toUTCString(), 10 * minute],
      [new Date(start - hour).toUTCString(), 5 * second],
      ['-5', 5 * second],
      ['soon', 5 * second],
      ['1.5', 5 * second],
      ['', 5 * second],
    ] as const) {
      for (const status of [429, 503]) {
        const world = await failingWorld({ random: () => 0 })
        world.respond = answer(status, { 'retry-after': retryAfter })
        await postGroup(world)
        await world.advance(0)
        equal(await world.server.dispatcher.nextDueAt(), start + pause, `${status} ${retryAfter}`)
      }
    }
  },

  'a long pause of the schedule is not cut by the 24 h of Retry-After': async () => {
    const world = await failingWorld({ random: () => 1 })
    await postGroup(world)
    await world.advance(60 * hour)
    world.respond = answer(503, { 'retry-after': '1' })
    await world.advance(10 * day)
    equal(gaps(world).at(-1), 26.4 * hour)
  },

  'other statuses are not listened to': async () => {
    const world = await failingWorld({ random: () => 0 })
    world.respond = answer(500, { 'retry-after': '3600' })
    await postGroup(world)
    await world.advance(0)
    equal(await world.server.dispatcher.nextDueAt(), start + 5 * second)
  },

  '410 disables the subscription, and says so': async () => {
    const world = await failingWorld()
    world.respond = answer(410)
    await postGroup(world)
    await postGroup(world)
    await world.advance(0)
    const [subscription] = (await world.server.subscriptions.list('acme')).items
    includes(subscription, { enabled: false, disabledReason: 'gone' })
    await postGroup(world)
    await world.advance(10 * day)
    ok(world.sent.length <= 2, 'nothing more is sent')
    equal(await statuses(world), ['skipped', 'skipped', 'skipped'])
  },

  'a subscription whose every attempt failed for 5 days is disabled, and says so': async () => {
    const world = await failingWorld({ random: () => 0 })
    await postGroup(world)
    await world.advance(76 * hour)
    await postGroup(world)
    await world.advance(5 * day - 76 * hour - 1)
    includes((await world.server.subscriptions.list('acme')).items[0], { enabled: true, failingSince: start })
    await world.advance(5 * day)
    includes((await world.server.subscriptions.list('acme')).items[0], {
      enabled: false,
      disabledReason: 'failing',
    })
    equal(await statuses(world), ['exhausted', 'skipped'])
    ok((world.sent.at(-1)?.at ?? 0) >= start + 5 * day, 'the last attempt came after 5 days')
  },

  'one success in 5 days keeps a subscription enabled': async () => {
    const world = await failingWorld()
    await postGroup(world)
    await world.advance(4 * day)
    world.respond = answer(200)
    await postGroup(world)
    await world.advance(0)
    world.respond = answer(500)
    await postGroup(world)
    await world.advance(3 * day)
    includes((await world.server.subscriptions.list('acme')).items[0], {
      enabled: true,
      disabledReason: null,
    })
  },

  'the answer is kept in the attempt log: status, duration, and the beginning of the body': async () => {
    const world = await failingWorld()
    world.respond = () => {
      world.clock.time += 230
      return new Response(`\0${'x'.repeat(10_000)}`, { status: 500 })
    }
    await postGroup(world)
    await world.advance(0)
    const [delivery] = (await world.server.deliveries.list('acme')).items
    const [attempt] = await world.server.deliveries.attempts('acme', delivery?.id ?? '')
    equal(attempt, {
      deliveryId: delivery?.id,
      number: 1,
      startedAt: start,
      durationMs: 230,
      url: 'https://receiver.example/',
      status: 500,
      error: null,
      responseBody: 'x'.repeat(4_095),
      succeeded: false,
    })
  },

  'an answer that never ends is cut off and counts by its status': async () => {
    const world = await failingWorld()
    let isCancelled = false
    world.respond = () =>
      new Response(
        new ReadableStream({
          pull: (controller) => controller.enqueue(new Uint8Array(1_024).fill(120)),
          cancel: () => {
            isCancelled = true
          },
        }),
      )
    await postGroup(world)
    await world.advance(0)
    equal([isCancelled, await statuses(world)], [true, ['delivered']])
  },

  'an answer that breaks off is a failure': async () => {
    const world = await failingWorld()
    world.respond = () =>
      new Response(
        new ReadableStream({ pull: (controller) => controller.error(new Error('connection reset')) }),
      )
    await postGroup(world)
    await world.advance(0)
    const [delivery] = (await world.server.deliveries.list('acme')).items
    const [attempt] = await world.server.deliveries.attempts('acme', delivery?.id ?? '')
    includes(attempt, { status: null, error: 'connection reset', succeeded: false })
    equal(await statuses(world), ['pending'])
  },

  'a clock that is set back or forward by an hour loses nothing': async () => {
    for (const jump of [-hour, hour]) {
      const world = await failingWorld({ random: () => 0 })
      await postGroup(world)
      await world.advance(0)
      world.clock.time += jump
      world.respond = answer(200)
      await postGroup(world)
      await world.advance(0)
      equal(await statuses(world), [jump > 0 ? 'delivered' : 'pending', 'delivered'])
      await world.advance(hour + 5 * second)
      equal(await statuses(world), ['delivered', 'delivered'])
      equal(world.sent.length, 3)
    }
  },

  'an attempt that takes too long fails, even if the fetch does not heed its signal': async () => {
    for (const respond of [
      () => new Promise<Response>(() => {}),
      () => new Response(new ReadableStream({ pull: () => new Promise(() => {}) })),
    ]) {
      const world = await failingWorld({ delivery: { timeoutMs: 15 } })
      world.respond = respond
      await postGroup(world)
      await world.server.dispatcher.runDue()
      const [delivery] = (await world.server.deliveries.list('acme')).items
      const [attempt] = await world.server.deliveries.attempts('acme', delivery?.id ?? '')
      includes(attempt, { status: null, error: 'no complete response within 15 ms', succeeded: false })
    }
  },
})

const order = defineCases('Delivery order', {
  'what concerns one group goes out in the order it happened': async () => {
    const world = await createWorld()
    await world.subscribe()
    await world.server.groups.create('acme', { wabaNumber: waba, subject: 'x', groupId: 'g' })
    await join(world, 'g')
    await world.server.participants.leave('acme', { groupId: 'g', phone: customer })
    world.respond = async ({ event }) => {
      if (event === 'GROUP_CREATED') await new Promise((resolve) => setTimeout(resolve, 5))
      return new Response()
    }
    await world.advance(0)
    equal(
      world.sent.map(({ event }) => event),
      ['GROUP_CREATED', 'GROUP_PARTICIPANT_JOINED', 'GROUP_PARTICIPANT_LEFT'],
    )
  },

  'a failing first holds its lane for 3 attempts, then others overtake it': async () => {
    const world = await createWorld({ random: () => 0 })
    await world.subscribe()
    await world.server.groups.create('acme', { wabaNumber: waba, subject: 'x', groupId: 'g' })
    await join(world, 'g')
    world.respond = ({ event }) => new Response(null, { status: event === 'GROUP_CREATED' ? 500 : 200 })
    await world.advance(5 * second + 5 * minute - 1)
    equal(
      world.sent.map(({ event }) => event),
      ['GROUP_CREATED', 'GROUP_CREATED'],
    )
    await world.advance(1)
    equal(
      world.sent.slice(2).map(({ event, at }) => [event, at - start]),
      [
        ['GROUP_CREATED', 305_000],
        ['GROUP_PARTICIPANT_JOINED', 305_000],
      ],
    )
    world.respond = answer(200)
    await world.advance(hour)
    equal(times(world).at(-1), 305_000 + 30 * minute)
    equal(await statuses(world), ['delivered', 'delivered'])
  },

  'other calls and groups do not wait': async () => {
    const world = await createWorld()
    await world.subscribe()
    world.respond = ({ body }) => new Response(null, { status: body.includes('"stuck"') ? 500 : 200 })
    for (const groupId of ['stuck', 'free']) {
      await world.server.groups.create('acme', { wabaNumber: waba, subject: 'x', groupId })
      await join(world, groupId)
    }
    await world.advance(0)
    equal(await statuses(world), ['pending', 'waiting', 'delivered', 'delivered'])
  },

  'CALL_AI_SUMMARY never overtakes CALL_ENDED of its call before that is delivered or exhausted':
    async () => {
      for (const isEverDelivered of [true, false]) {
        const world = await createWorld({ random: () => 0 })
        await world.subscribe('PSTN')
        world.respond = ({ event, at }) =>
          new Response(null, {
            status: event !== 'CALL_ENDED' || (isEverDelivered && at > start + day) ? 200 : 500,
          })
        const callId = await playCall(world)
        await world.server.summaries.save('acme', callId, summary, { generatedBy: 'automatic' })
        await world.advance(10 * day)
        const last = world.sent.slice(-2)
        equal(
          last.map(({ event }) => event),
          ['CALL_ENDED', 'CALL_AI_SUMMARY'],
        )
        equal(last[0]?.at, last[1]?.at)
        const { items } = await world.server.deliveries.list('acme')
        equal(items.map(({ status }) => status).slice(2), [
          isEverDelivered ? 'delivered' : 'exhausted',
          'delivered',
        ])
      }
    },

  'never more than allowed at the same time, in all and to one subscription': async () => {
    const world = await createWorld({ delivery: { concurrency: 6, perSubscription: 4 } })
    await world.subscribe()
    await world.subscribe()
    for (let index = 0; index < 30; index++) await postGroup(world)
    const running = new Map<string, number>()
    const seen = { all: 0, one: 0 }
    world.respond = async ({ claimed }) => {
      const { id } = claimed.subscription
      running.set(id, (running.get(id) ?? 0) + 1)
      seen.one = Math.max(seen.one, ...running.values())
      seen.all = Math.max(
        seen.all,
        [...running.values()].reduce((sum, each) => sum + each, 0),
      )
      await new Promise((resolve) => setTimeout(resolve, 1))
      running.set(id, (running.get(id) ?? 0) - 1)
      return new Response()
    }
    await world.advance(0)
    equal([world.sent.length, seen], [60, { all: 6, one: 4 }])
  },
})

const again = defineCases('Sending again', {
  'an exhausted delivery is kept and can be sent again, with the same webhook-id and a new schedule':
    async () => {
      const world = await failingWorld({ random: () => 0 })
      await postGroup(world)
      await world.advance(4 * day)
      const [delivery] = (await world.server.deliveries.list('acme')).items
      equal([delivery?.status, delivery?.attempts], ['exhausted', 10])
      equal(await world.server.deliveries.resend('acme', { deliveryId: delivery?.id }), 1)
      await world.advance(0)
      equal(world.sent.length, 11)
      equal(new Set(world.sent.map(({ headers }) => headers.get('webhook-id'))).size, 1)
      equal(await world.server.dispatcher.nextDueAt(), world.clock.time + 5 * second)
    },

  'under a new webhook-id only when asked for': async () => {
    const world = await createWorld()
    await world.subscribe()
    await postGroup(world)
    await world.advance(0)
    world.clock.time += 1
    await world.server.deliveries.resend('acme', {}, { newWebhookId: true })
    await world.advance(0)
    const ids = world.sent.map(({ headers }) => headers.get('webhook-id'))
    equal([ids.length, new Set(ids).size], [2, 2])
    ok(ids[1]?.startsWith(`${ids[0]}-`), String(ids))
  },

  'under a new webhook-id that can be signed, even where the clock tells fractions of a millisecond':
    async () => {
      const world = await createWorld()
      await world.subscribe()
      await postGroup(world)
      await world.advance(0)
      world.clock.time += 1.625
      await world.server.deliveries.resend('acme', {}, { newWebhookId: true })
      await world.advance(0)
      const ids = world.sent.map(({ headers }) => headers.get('webhook-id'))
      equal([ids.length, ids.filter((id) => id?.includes('.'))], [2, []])
    },

  'ids of your own that no webhook-id may have are refused when the event happens': async () => {
    for (const id of ['evt.1', 'evt 1', 'évt', '']) {
      const world = await createWorld({ ids: (prefix) => (prefix === 'evt' ? id : `${prefix}_1`) })
      const message = `ids('evt') returned ${JSON.stringify(id)}. Return visible ASCII characters without a full stop: the id is also the webhook-id of the event's deliveries.`
      await rejects(world.server.groups.create('acme', createBody), { name: 'TypeError', message })
    }
  },

  'what was skipped while the subscription was disabled can be sent by range, in order': async () => {
    const world = await createWorld()
    const id = await world.subscribe('PSTN')
    await world.server.subscriptions.update('acme', id, { enabled: false })
    for (let index = 0; index < 3; index++) {
      await playCall(world, { callId: `c${index}` })
      world.clock.time += hour
    }
    equal(await world.server.deliveries.resend('acme', { statuses: ['skipped'] }), 0)
    await world.server.subscriptions.update('acme', id, { enabled: true })
    await world.advance(day)
    equal(world.sent, [])
    const range = {
      subscriptionId: id,
      statuses: ['skipped'] as const,
      occurredFrom: start + hour,
      occurredBefore: start + 2 * hour,
    }
    equal(await world.server.deliveries.resend('acme', range), 3)
    await world.advance(0)
    equal(
      world.sent.map(({ event, body }) => [event, JSON.parse(body).callId]),
      [
        ['CALL_INCOMING_INITIATED', 'c1'],
        ['CALL_ACCEPTED', 'c1'],
        ['CALL_ENDED', 'c1'],
      ],
    )
  },

  'a range of more than a thousand goes out completely': async () => {
    const world = await createWorld()
    const id = await world.subscribe()
    await world.server.subscriptions.update('acme', id, { enabled: false })
    for (let index = 0; index < 1_200; index++) {
      await world.server.groups.create('acme', { wabaNumber: waba, subject: 'x' })
    }
    await world.server.subscriptions.update('acme', id, { enabled: true })
    equal(await world.server.deliveries.resend('acme', {}), 1_200)
    await world.advance(0)
    equal(new Set(world.sent.map(({ headers }) => headers.get('webhook-id'))).size, 1_200)
  },
})

const running = defineCases('Dispatcher', {
  'runDue sends what is due and what becomes due by that, and resolves when it is settled': async () => {
    const world = await createWorld()
    await world.subscribe('PSTN')
    await playCall(world)
    await world.server.dispatcher.runDue()
    equal(await statuses(world), ['delivered', 'delivered', 'delivered'])
  },

  'start sends the first attempts at once, without anybody calling runDue': async () => {
    const world = await createWorld()
    await world.subscribe()
    const arrived = new Promise<void>((resolve) => {
      world.respond = () => {
        resolve()
        return new Response()
      }
    })
    world.server.dispatcher.start()
    world.server.dispatcher.start()
    await postGroup(world)
    await arrived
    await world.server.dispatcher.stop()
    equal(await statuses(world), ['delivered'])
  },

  'start sends what was due before': async () => {
    const world = await createWorld()
    await world.subscribe()
    await postGroup(world)
    const settled = new Promise<void>((resolve) => world.server.dispatcher.onAttempt(() => resolve()))
    world.server.dispatcher.start()
    await settled
    await world.server.dispatcher.stop()
    equal(await statuses(world), ['delivered'])
  },

  'start tries again when the time has come': async () => {
    const world = await createWorld({ clock: { now: () => Date.now() * 1_000 }, delivery: { pollMs: 20 } })
    await world.subscribe()
    world.respond = () => new Response(null, { status: world.sent.length < 2 ? 500 : 200 })
    const settled = new Promise<void>((resolve) => {
      world.server.dispatcher.onAttempt(({ result }) => result.kind === 'delivered' && resolve())
    })
    world.server.dispatcher.start()
    await postGroup(world)
    await settled
    await world.server.dispatcher.stop()
    equal(world.sent.length, 2)
  },

  'gives running attempts up when the store has lost its worker, and makes them again': async () => {
    let loseWorker = (): void => {}
    let registrations = 0
    const store: Store = {
      ...memoryStore(),
      registerWorker: (lost) => {
        registrations++
        loseWorker = lost
        return () => registrations--
      },
    }
    const world = await createWorld({ store })
    await world.subscribe()
    const results: string[] = []
    world.respond = () => {
      if (world.sent.length > 1) return new Response()
      queueMicrotask(() => loseWorker())
      return new Promise(() => {})
    }
    const delivered = new Promise<void>((resolve) => {
      world.server.dispatcher.onAttempt(({ result }) => {
        results.push(result.kind)
        if (result.kind === 'delivered') resolve()
      })
    })
    world.server.dispatcher.start()
    await postGroup(world)
    await delivered
    equal(results, ['released', 'delivered'])
    equal(registrations, 1)
    await world.server.dispatcher.stop()
    equal(registrations, 0)
  },

  'after stop nothing more is sent, until it is started again': async () => {
    const world = await createWorld()
    await world.subscribe()
    world.server.dispatcher.start()
    await world.server.dispatcher.stop()
    await postGroup(world)
    await new Promise((resolve) => setTimeout(resolve, 10))
    equal([world.sent, await statuses(world)], [[], ['pending']])
    await world.server.dispatcher.runDue()
    equal(world.sent.length, 1)
  },

  'stop lets running attempts finish, and claims nothing more': async () => {
    const world = await createWorld({ delivery: { concurrency: 1 } })
    await world.subscribe()
    await postGroup(world)
    await postGroup(world)
    const begun = new Promise<void>((resolve) => {
      world.respond = async () => {
        resolve()
        await new Promise((go) => setTimeout(go, 10))
        return new Response()
      }
    })
    world.server.dispatcher.start()
    await begun
    await world.server.dispatcher.stop()
    equal(await statuses(world), ['delivered', 'pending'])
  },

  'what waited for its turn until its lease could end first is given back, and sent under a new claim':
    async () => {
      const world = await createWorld({ delivery: { concurrency: 1, leaseMs: 20_000, timeoutMs: 15_000 } })
      await world.subscribe()
      await postGroup(world)
      await world.server.dispatcher.runDue()
      await postGroup(world)
      await postGroup(world)
      world.respond = async () => {
        if (world.sent.length === 2) world.clock.time += 5_001
        return new Response()
      }
      const outcomes: string[] = []
      world.server.dispatcher.onAttempt(({ result }) => outcomes.push(result.kind))
      await world.server.dispatcher.runDue()
      equal(outcomes.toSorted(), ['delivered', 'delivered', 'released'])
      equal(world.sent.length, 3)
    },

  'stop releases what does not finish in time: due at once, nothing counted': async () => {
    const world = await createWorld()
    await world.subscribe()
    await postGroup(world)
    const begun = new Promise<void>((resolve) => {
      world.respond = () => {
        resolve()
        return new Promise(() => {})
      }
    })
    world.server.dispatcher.start()
    await begun
    await world.server.dispatcher.stop({ graceMs: 5 })
    const [delivery] = (await world.server.deliveries.list('acme')).items
    includes(delivery, { status: 'pending', attempts: 0, failures: 0, dueAt: start })
    world.respond = answer(200)
    await world.server.dispatcher.runDue()
    equal(await statuses(world), ['delivered'])
  },

  'tells of each attempt what was claimed, its result and what was recorded': async () => {
    const world = await createWorld()
    await world.subscribe()
    const reports: unknown[] = []
    const stop = world.server.dispatcher.onAttempt(({ claimed, result, settlement }) => {
      reports.push([claimed.event.name, result.kind, settlement.outcome])
    })
    const fails = world.server.dispatcher.onAttempt(() => {
      throw new Error('a listener that throws')
    })
    await postGroup(world)
    await world.advance(0)
    stop()
    fails()
    await postGroup(world)
    await world.advance(0)
    equal(reports, [['GROUP_CREATED', 'delivered', 'settled']])
    equal(world.errors.map(String), ['Error: a listener that throws'])
  },

  'says when something is due next': async () => {
    const world = await failingWorld({ random: () => 0 })
    equal(await world.server.dispatcher.nextDueAt(), undefined)
    await postGroup(world)
    equal(await world.server.dispatcher.nextDueAt(), start)
    await world.advance(0)
    equal(await world.server.dispatcher.nextDueAt(), start + 5 * second)
  },

  'a delivery that another worker has taken over meanwhile is settled by that one alone': async () => {
    const world = await createWorld()
    await world.subscribe()
    const store = memoryStore()
    const shared = await createWorld({ store })
    await shared.subscribe()
    await postGroup(shared)
    shared.respond = async () => {
      shared.respond = answer(200)
      shared.clock.time += 60_000
      const now = shared.clock.time
      const request = { claimId: 'another', now, leaseMs: 60_000, limit: 10, perSubscription: 10 }
      equal((await store.claimDeliveries(request)).length, 1)
      return new Response(null, { status: 500 })
    }
    const outcomes: string[] = []
    shared.server.dispatcher.onAttempt(({ settlement }) => outcomes.push(settlement.outcome))
    await shared.server.dispatcher.runDue()
    equal([outcomes, await statuses(shared)], [['stale'], ['claimed']])
  },

  'runDue rejects when the store cannot be reached': async () => {
    const store = memoryStore()
    const claimDeliveries = () => Promise.reject(new StorageUnavailableError('down'))
    const world = await createWorld({ store: { ...store, claimDeliveries } })
    await rejects(world.server.dispatcher.runDue(), { code: 'storage_unavailable' })
  },

  'a started dispatcher survives a store that is away for a while': async () => {
    const store = memoryStore()
    let isDown = true
    const down = () => Promise.reject(new StorageUnavailableError('down', { retryAfterMs: 1 }))
    const world = await createWorld({
      delivery: { pollMs: 2 },
      store: {
        ...store,
        claimDeliveries: (claim) => (isDown ? down() : store.claimDeliveries(claim)),
        nextDueAt: () => (isDown ? down() : store.nextDueAt()),
      },
    })
    await world.subscribe()
    const settled = new Promise<void>((resolve) => world.server.dispatcher.onAttempt(() => resolve()))
    world.server.dispatcher.start()
    await postGroup(world)
    await new Promise((resolve) => setTimeout(resolve, 10))
    ok(world.errors.length > 0, 'it is reported')
    isDown = false
    await settled
    await world.server.dispatcher.stop()
    equal(await statuses(world), ['delivered'])
  },

  'a result is written again while the store is away, as long as the claim holds': async () => {
    const store = memoryStore()
    let failures = 3
    const world = await createWorld({
      store: {
        ...store,
        settleDelivery: (settlement) =>
          failures-- > 0
            ? Promise.reject(new StorageUnavailableError('down', { retryAfterMs: 1 }))
            : store.settleDelivery(settlement),
      },
    })
    await world.subscribe()
    await postGroup(world)
    await world.server.dispatcher.runDue()
    equal([world.sent.length, await statuses(world)], [1, ['delivered']])
  },

  'a result whose writing was not confirmed is written again': async () => {
    const store = memoryStore()
    let losses = 1
    const world = await createWorld({
      store: {
        ...store,
        settleDelivery: async (settlement) => {
          const outcome = await store.settleDelivery(settlement)
          if (losses-- > 0) throw new StorageOutcomeUnknownError('cut off')
          return outcome
        },
      },
    })
    await world.subscribe()
    await postGroup(world)
    await world.server.dispatcher.runDue()
    equal([world.sent.length, await statuses(world), losses], [1, ['delivered'], -1])
  },

  'a result that cannot be written is reported, and the delivery is sent again when its lease is over':
    async () => {
      const store = memoryStore()
      let isDown = true
      const world = await createWorld({
        delivery: { timeoutMs: 1_000, leaseMs: 1_001 },
        store: {
          ...store,
          settleDelivery: (settlement) =>
            isDown
              ? Promise.reject(new StorageUnavailableError('down', { retryAfterMs: 2 }))
              : store.settleDelivery(settlement),
        },
      })
      await world.subscribe()
      await postGroup(world)
      await rejects(world.server.dispatcher.runDue(), { code: 'storage_unavailable' })
      isDown = false
      await world.advance(1_001)
      equal([world.sent.length, await statuses(world)], [2, ['delivered']])
    },
})

/** Deliveries. */
export const deliveryCases = [...signing, ...schedule, ...order, ...again, ...running]
