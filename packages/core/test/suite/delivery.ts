import { StorageOutcomeUnknownError, type Store } from '@wabakit/core'
import { verifySignature } from '@wabakit/webhooks'
import { equal, includes, ok, rejects } from '../store-cases/assert.ts'
import { defineCases } from './cases.ts'
import {
  createBody,
  createScenario,
  customer,
  playCall,
  postGroup,
  pstn,
  type Scenario,
  start,
  summary,
  waba,
} from './scenario.ts'
import { openStore } from './stage.ts'

const second = 1_000
const minute = 60 * second
const hour = 60 * minute
const day = 24 * hour

/** The pauses of the schedule, deliberately repeated. */
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

const failingWorld = async (options: Parameters<typeof createScenario>[0] = {}): Promise<Scenario> => {
  const scenario = await createScenario(options)
  await scenario.subscribe()
  scenario.respond = answer(500)
  return scenario
}

const times = (scenario: Scenario): number[] => scenario.sent.map(({ at }) => at - start)

const gaps = (scenario: Scenario): number[] =>
  scenario.sent.slice(1).map(({ at }, index) => at - (scenario.sent[index]?.at ?? 0))

const statuses = async ({ server }: Scenario): Promise<string[]> =>
  (await server.deliveries.list('acme')).items.map(({ status }) => status)

const join = (scenario: Scenario, groupId: string) =>
  scenario.server.participants.join('acme', { groupId, phone: customer })

const signing = defineCases('Signing', {
  'sends the traceparent of the request that caused the event, if it is valid': async () => {
    const scenario = await createScenario()
    await scenario.subscribe()
    const valid = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'
    const sent = [valid, `${valid}-x`, valid.replace('00', 'ff'), '', undefined]
    for (const traceparent of sent) {
      await postGroup(scenario, createBody, { headers: traceparent === undefined ? {} : { traceparent } })
      await scenario.advance(0)
    }
    equal(
      scenario.sent.map(({ headers }) => headers.get('traceparent')),
      [valid, null, null, null, null],
    )
  },

  'sends each kind of event as it was published, signed, with a webhook-id of its own': async () => {
    const scenario = await createScenario()
    const secrets = new Map<string, string>()
    for (const [channel, number] of [
      ['PSTN', pstn],
      ['WHATSAPP', waba],
    ] as const) {
      const url = `https://receiver.example/${channel}`
      const { secret } = await scenario.server.subscriptions.create('acme', { channel, number, url })
      secrets.set(url, secret)
    }
    await postGroup(scenario, { wabaNumber: waba, subject: 'é🎉', groupId: 'g1' })
    for (const action of ['join', 'leave', 'join', 'remove'] as const)
      await scenario.server.participants[action]('acme', { groupId: 'g1', phone: customer })
    for (const direction of ['INCOMING', 'OUTGOING'] as const) {
      const callId = await playCall(scenario, { direction })
      const said = { ...summary, recap: 'Größe 東京.' }
      await scenario.server.summaries.save('acme', callId, said, { generatedBy: 'automatic' })
    }
    scenario.clock.time += 1_500
    await scenario.advance(0)
    equal(new Set(scenario.sent.map(({ event }) => event)).size, 9)
    equal(scenario.sent.length, scenario.publications.length)
    for (const { id, event } of scenario.publications) {
      const [sent, another] = scenario.sent.filter(({ headers }) => headers.get('webhook-id') === id)
      ok(sent !== undefined && another === undefined, `${event.event} was sent once`)
      equal(JSON.parse(sent.body), event)
      equal(sent.headers.get('content-type'), 'application/json')
      const { body: payload, headers, at, url } = sent
      const check = {
        payload,
        headers,
        secrets: [secrets.get(url) ?? ''],
        toleranceSeconds: 0,
        now: () => at,
      }
      await verifySignature(check)
    }
  },

  'keeps the webhook-id on every retry, with the timestamp of the attempt': async () => {
    const scenario = await failingWorld()
    await postGroup(scenario)
    await scenario.advance(10 * minute)
    equal(new Set(scenario.sent.map(({ headers }) => headers.get('webhook-id'))).size, 1)
    equal(new Set(scenario.sent.map(({ body }) => body)).size, 1)
    const stamps = scenario.sent.map(({ headers }) => Number(headers.get('webhook-timestamp')))
    equal(
      stamps,
      scenario.sent.map(({ at }) => Math.floor(at / 1_000)),
    )
    equal(new Set(stamps).size, 3)
  },
})

const schedule = defineCases('Delivery schedule', {
  'without jitter: at once, then after 5 s, 5 min, 30 min, 2, 5, 10, 14, 20 and 24 h, then exhausted':
    async () => {
      const scenario = await failingWorld({ random: () => 0 })
      await postGroup(scenario)
      await scenario.advance(0)
      equal(times(scenario), [0])
      let at = 0
      for (const [index, pause] of pauses.entries()) {
        await scenario.advance(pause - 1)
        equal(scenario.sent.length, index + 1)
        await scenario.advance(1)
        at += pause
        equal(scenario.sent.length, index + 2)
        equal(times(scenario).at(-1), at)
      }
      equal(at, 75 * hour + 35 * minute + 5 * second)
      equal(await statuses(scenario), ['exhausted'])
      await scenario.advance(30 * day)
      equal(scenario.sent.length, 10)
      equal(await scenario.server.dispatcher.nextDueAt(), undefined)
    },

  'with jitter: each pause is up to 10% longer, never shorter': async () => {
    for (const [random, share] of [
      [() => 0.5, 0.05],
      [() => 0.999_999, 0.1],
    ] as const) {
      const scenario = await failingWorld({ random })
      await postGroup(scenario)
      await scenario.advance(10 * day)
      equal(
        gaps(scenario),
        pauses.map((pause) => Math.round(pause * (1 + (share === 0.1 ? 0.0999999 : share)))),
      )
    }
    const scenario = await failingWorld()
    await postGroup(scenario)
    await scenario.advance(10 * day)
    const ratios = gaps(scenario).map((gap, index) => gap / (pauses[index] ?? 1))
    ok(ratios.length === 9 && ratios.every((ratio) => ratio >= 1 && ratio <= 1.1), String(ratios))
    ok(new Set(ratios).size > 5, 'it is different each time')
  },

  'a status of 200 to 299 is a success, and everything else is retried': async () => {
    for (const status of [200, 201, 204, 299]) {
      const scenario = await failingWorld()
      scenario.respond = answer(status)
      await postGroup(scenario)
      await scenario.advance(day)
      equal([scenario.sent.length, await statuses(scenario)], [1, ['delivered']])
    }
    for (const status of [300, 301, 302, 304, 307, 308, 400, 401, 404, 409, 422, 500, 503]) {
      const scenario = await failingWorld()
      scenario.respond = answer(status, { location: 'https://receiver.example/elsewhere' })
      equal((await postGroup(scenario)).status, 200)
      await scenario.advance(6 * second)
      equal(
        scenario.sent.map(({ url }) => url),
        ['https://receiver.example/', 'https://receiver.example/'],
        String(status),
      )
    }
  },

  'redirects are not followed': async () => {
    const requested: RequestInit[] = []
    const scenario = await createScenario({
      fetch: async (_, init) => {
        requested.push(init)
        return new Response(null, { status: 302, headers: { location: 'https://elsewhere.example/' } })
      },
    })
    await scenario.subscribe()
    await postGroup(scenario)
    await scenario.server.dispatcher.runDue()
    equal(
      requested.map(({ redirect, method }) => [redirect, method]),
      [['manual', 'POST']],
    )
    equal(await statuses(scenario), ['pending'])
  },

  'an endpoint that cannot be reached is retried, and the reason is recorded': async () => {
    const scenario = await failingWorld()
    scenario.respond = () => {
      throw new TypeError('fetch failed', { cause: new Error('ECONNREFUSED') })
    }
    await postGroup(scenario)
    await scenario.advance(0)
    const [delivery] = (await scenario.server.deliveries.list('acme')).items
    ok(delivery !== undefined, 'a delivery')
    const [attempt] = await scenario.server.deliveries.attempts('acme', delivery.id)
    includes(attempt, {
      status: null,
      error: 'fetch failed: ECONNREFUSED',
      responseBody: null,
      succeeded: false,
      deferred: false,
    })
  },

  'Retry-After on 429 and 503 is honored: never sooner than the schedule, and at most 24 h': async () => {
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
        const scenario = await failingWorld({ random: () => 0 })
        scenario.respond = answer(status, { 'retry-after': retryAfter })
        await postGroup(scenario)
        await scenario.advance(0)
        equal(await scenario.server.dispatcher.nextDueAt(), start + pause, `${status} ${retryAfter}`)
      }
    }
  },

  'the maximum of Retry-After does not shorten a pause of the schedule': async () => {
    const scenario = await failingWorld({ random: () => 1 })
    await postGroup(scenario)
    await scenario.advance(60 * hour)
    scenario.respond = answer(503, { 'retry-after': '1' })
    await scenario.advance(10 * day)
    equal(gaps(scenario).at(-1), 26.4 * hour)
  },

  'Retry-After on other statuses is ignored': async () => {
    const scenario = await failingWorld({ random: () => 0 })
    scenario.respond = answer(500, { 'retry-after': '3600' })
    await postGroup(scenario)
    await scenario.advance(0)
    equal(await scenario.server.dispatcher.nextDueAt(), start + 5 * second)
  },

  'a 409 with Retry-After is retried as requested, at least 1 s later, without using up an attempt':
    async () => {
      const scenario = await failingWorld({ random: () => 0 })
      const answers = ['6', '0', '6', undefined].map((pause) =>
        pause === undefined ? answer(500) : answer(409, { 'retry-after': pause }),
      )
      scenario.respond = () => (answers.shift() ?? answer(200))()
      await postGroup(scenario)
      await scenario.advance(minute)
      equal(gaps(scenario), [6_000, 1_000, 6_000, 5_000])
      equal(new Set(scenario.sent.map(({ headers }) => headers.get('webhook-id'))).size, 1)
      const [delivery] = (await scenario.server.deliveries.list('acme')).items
      includes(delivery, { status: 'delivered', attempts: 5, failures: 1, deferrals: 3, deferredMs: 13_000 })
      const attempts = await scenario.server.deliveries.attempts('acme', delivery?.id ?? '')
      equal(
        attempts.map(({ status, deferred }) => [status, deferred]),
        [
          [409, true],
          [409, true],
          [409, true],
          [500, false],
          [200, false],
        ],
      )
    },

  'a 409 with Retry-After counts as a failure after the 20th time, or once 15 minutes have been requested':
    async () => {
      const often = await failingWorld({ random: () => 0 })
      often.respond = answer(409, { 'retry-after': '1' })
      await postGroup(often)
      await often.advance(30 * second)
      equal(gaps(often), [...Array.from({ length: 20 }, () => 1_000), 5_000])
      const long = await failingWorld({ random: () => 0 })
      long.respond = answer(409, { 'retry-after': '600' })
      await postGroup(long)
      await long.advance(16 * minute)
      equal(gaps(long), [10 * minute, 5 * minute, 5_000])
    },

  'runDue sends everything that is due, whatever the maximum number of attempts per second': async () => {
    const scenario = await createScenario()
    await scenario.server.subscriptions.create('acme', {
      channel: 'WHATSAPP',
      number: waba,
      url: 'https://receiver.example/',
      maxAttemptsPerSecond: 0.01,
    })
    for (const groupId of ['g1', 'g2', 'g3']) await postGroup(scenario, { ...createBody, groupId })
    await scenario.advance(0)
    equal(times(scenario), [0, 0, 0])
  },

  'deferrals hold a lane for at most 15 minutes, and do not count toward disabling the subscription':
    async () => {
      const scenario = await failingWorld({ random: () => 0 })
      scenario.respond = ({ event }) =>
        event === 'GROUP_CREATED' ? answer(409, { 'retry-after': '900' })() : answer(200)()
      await postGroup(scenario, { ...createBody, groupId: 'g1' })
      await join(scenario, 'g1')
      await scenario.advance(15 * minute)
      equal((await scenario.server.subscriptions.list('acme')).items[0]?.failingSince, start + 15 * minute)
      equal(await statuses(scenario), ['pending', 'waiting'])
      await scenario.advance(6 * minute)
      equal(await statuses(scenario), ['pending', 'delivered'])
    },

  '410 disables the subscription, with its reason': async () => {
    const scenario = await failingWorld()
    scenario.respond = answer(410)
    await postGroup(scenario)
    await postGroup(scenario)
    await scenario.advance(0)
    const [subscription] = (await scenario.server.subscriptions.list('acme')).items
    includes(subscription, { enabled: false, disabledReason: 'gone' })
    await postGroup(scenario)
    await scenario.advance(10 * day)
    ok(scenario.sent.length <= 2, 'nothing more is sent')
    equal(await statuses(scenario), ['skipped', 'skipped', 'skipped'])
  },

  'a subscription is disabled if all attempts have failed for 5 days, with its reason': async () => {
    const scenario = await failingWorld({ random: () => 0 })
    await postGroup(scenario)
    await scenario.advance(76 * hour)
    await postGroup(scenario)
    await scenario.advance(5 * day - 76 * hour - 1)
    includes((await scenario.server.subscriptions.list('acme')).items[0], {
      enabled: true,
      failingSince: start,
    })
    await scenario.advance(5 * day)
    includes((await scenario.server.subscriptions.list('acme')).items[0], {
      enabled: false,
      disabledReason: 'failing',
    })
    equal(await statuses(scenario), ['exhausted', 'skipped'])
    ok((scenario.sent.at(-1)?.at ?? 0) >= start + 5 * day, 'the last attempt came after 5 days')
  },

  'one success in 5 days keeps a subscription enabled': async () => {
    const scenario = await failingWorld()
    await postGroup(scenario)
    await scenario.advance(4 * day)
    scenario.respond = answer(200)
    await postGroup(scenario)
    await scenario.advance(0)
    scenario.respond = answer(500)
    await postGroup(scenario)
    await scenario.advance(3 * day)
    includes((await scenario.server.subscriptions.list('acme')).items[0], {
      enabled: true,
      disabledReason: null,
    })
  },

  "an attempt does not keep its subscription's headers if the endpoint repeats them": async () => {
    for (const [respond, expected] of [
      [(headers: Headers) => JSON.stringify([...headers]).slice(0, 60), /^\[\["authorization","\[redacted]"/],
      [() => 'got s3cret: ann:pass"word, pass\\"word and pass%22word', /^(?:\D+\[redacted]){4}$/],
      [() => `${'x'.repeat(4_090)}s3cret of ours`, /^x+\[redac$/],
      [() => `${'s3cret of ours '.repeat(10)}${'x'.repeat(4_090)}s3cret of ours`, /^(?:\[redacted] ){10}x+$/],
    ] as const) {
      const scenario = await createScenario()
      await scenario.server.subscriptions.create('acme', {
        channel: 'WHATSAPP',
        number: waba,
        url: 'https://receiver.example/',
        authorization: { username: 'ann', password: 'pass"word' },
        headers: { 'x-token': 's3cret of ours', 'x-other': 's3cret', 'x-short': 'x' },
      })
      scenario.respond = ({ headers }) => new Response(respond(headers), { status: 500 })
      await postGroup(scenario)
      await scenario.advance(0)
      const [delivery] = (await scenario.server.deliveries.list('acme')).items
      const [attempt] = await scenario.server.deliveries.attempts('acme', delivery?.id ?? '')
      ok(expected.test(attempt?.responseBody ?? ''), `kept: ${attempt?.responseBody}`)
    }
  },

  'an attempt does not keep the values of its URL if an error repeats them': async () => {
    const token = 's3cret+of/ours==and-more'
    const scenario = await createScenario({
      fetch: async (url) => {
        throw new TypeError(`error sending request for url (${url})`, { cause: new Error(token) })
      },
    })
    await scenario.server.subscriptions.create('acme', {
      channel: 'WHATSAPP',
      number: waba,
      url: `https://receiver.example/?token=${encodeURIComponent(token)}`,
    })
    await postGroup(scenario)
    await scenario.advance(0)
    const [delivery] = (await scenario.server.deliveries.list('acme')).items
    const [attempt] = await scenario.server.deliveries.attempts('acme', delivery?.id ?? '')
    equal(
      attempt?.error,
      'error sending request for url (https://receiver.example/?token=[redacted]): [redacted]',
    )
  },

  'an attempt records the status, the duration and the start of the body': async () => {
    const scenario = await failingWorld()
    scenario.respond = () => {
      scenario.clock.time += 230
      return new Response(`\0${'x'.repeat(4_094)}${'🎉'.repeat(3_000)}`, { status: 500 })
    }
    await postGroup(scenario)
    await scenario.advance(0)
    const [delivery] = (await scenario.server.deliveries.list('acme')).items
    const [attempt] = await scenario.server.deliveries.attempts('acme', delivery?.id ?? '')
    equal(attempt, {
      deliveryId: delivery?.id,
      number: 1,
      startedAt: start,
      durationMs: 230,
      url: 'https://receiver.example/',
      status: 500,
      error: null,
      responseBody: `${'x'.repeat(4_094)}🎉`,
      succeeded: false,
      deferred: false,
    })
  },

  'a response that never ends is cut off and counts by its status': async () => {
    const scenario = await failingWorld()
    const canceled = Promise.withResolvers<void>()
    scenario.respond = () =>
      new Response(
        new ReadableStream({
          pull: (controller) => controller.enqueue(new Uint8Array(1_024).fill(120)),
          cancel: () => canceled.resolve(),
        }),
      )
    await postGroup(scenario)
    await scenario.advance(0)
    await canceled.promise
    equal(await statuses(scenario), ['delivered'])
  },

  'a response that is cut off is a failure': async () => {
    const scenario = await failingWorld()
    scenario.respond = () =>
      new Response(
        new ReadableStream({ pull: (controller) => controller.error(new Error('connection reset')) }),
      )
    await postGroup(scenario)
    await scenario.advance(0)
    const [delivery] = (await scenario.server.deliveries.list('acme')).items
    const [attempt] = await scenario.server.deliveries.attempts('acme', delivery?.id ?? '')
    includes(attempt, { status: null, error: 'connection reset', succeeded: false })
    equal(await statuses(scenario), ['pending'])
  },

  'no delivery is lost if the clock is set back or forward by an hour': async () => {
    for (const jump of [-hour, hour]) {
      const scenario = await failingWorld({ random: () => 0 })
      await postGroup(scenario)
      await scenario.advance(0)
      scenario.clock.time += jump
      scenario.respond = answer(200)
      await postGroup(scenario)
      await scenario.advance(0)
      equal(await statuses(scenario), [jump > 0 ? 'delivered' : 'pending', 'delivered'])
      await scenario.advance(hour + 5 * second)
      equal(await statuses(scenario), ['delivered', 'delivered'])
      equal(scenario.sent.length, 3)
    }
  },

  'an attempt during which the clock is set has no negative duration': async () => {
    for (const jump of [-hour, hour]) {
      const scenario = await failingWorld()
      scenario.respond = () => {
        scenario.clock.time += jump
        return new Response()
      }
      await postGroup(scenario)
      await scenario.server.dispatcher.runDue()
      const [delivery] = (await scenario.server.deliveries.list('acme')).items
      const [attempt] = await scenario.server.deliveries.attempts('acme', delivery?.id ?? '')
      includes(attempt, { durationMs: Math.max(0, jump), succeeded: true })
    }
  },

  'an attempt that takes too long fails, even if fetch ignores its signal': async () => {
    for (const respond of [
      () => new Promise<Response>(() => {}),
      () => new Response(new ReadableStream({ pull: () => new Promise(() => {}) })),
    ]) {
      const scenario = await failingWorld({ delivery: { timeoutMs: 15 } })
      scenario.respond = respond
      await postGroup(scenario)
      await scenario.server.dispatcher.runDue()
      const [delivery] = (await scenario.server.deliveries.list('acme')).items
      const [attempt] = await scenario.server.deliveries.attempts('acme', delivery?.id ?? '')
      includes(attempt, { status: null, error: 'no complete response within 15 ms', succeeded: false })
    }
  },
})

const order = defineCases('Delivery order', {
  'events of one group are sent in order': async () => {
    const scenario = await createScenario()
    await scenario.subscribe()
    await scenario.server.groups.create('acme', { wabaNumber: waba, subject: 'x', groupId: 'g' })
    await join(scenario, 'g')
    await scenario.server.participants.leave('acme', { groupId: 'g', phone: customer })
    scenario.respond = async ({ event }) => {
      if (event === 'GROUP_CREATED') await new Promise((resolve) => setTimeout(resolve, 5))
      return new Response()
    }
    await scenario.advance(0)
    equal(
      scenario.sent.map(({ event }) => event),
      ['GROUP_CREATED', 'GROUP_PARTICIPANT_JOINED', 'GROUP_PARTICIPANT_LEFT'],
    )
  },

  'a failing head blocks its lane for 3 attempts, then others overtake it': async () => {
    const scenario = await createScenario({ random: () => 0 })
    await scenario.subscribe()
    await scenario.server.groups.create('acme', { wabaNumber: waba, subject: 'x', groupId: 'g' })
    await join(scenario, 'g')
    scenario.respond = ({ event }) => new Response(null, { status: event === 'GROUP_CREATED' ? 500 : 200 })
    await scenario.advance(5 * second + 5 * minute - 1)
    equal(
      scenario.sent.map(({ event }) => event),
      ['GROUP_CREATED', 'GROUP_CREATED'],
    )
    await scenario.advance(1)
    equal(
      scenario.sent.slice(2).map(({ event, at }) => [event, at - start]),
      [
        ['GROUP_CREATED', 305_000],
        ['GROUP_PARTICIPANT_JOINED', 305_000],
      ],
    )
    scenario.respond = answer(200)
    await scenario.advance(hour)
    equal(times(scenario).at(-1), 305_000 + 30 * minute)
    equal(await statuses(scenario), ['delivered', 'delivered'])
  },

  'other calls and groups are not blocked': async () => {
    const scenario = await createScenario()
    await scenario.subscribe()
    scenario.respond = ({ body }) => new Response(null, { status: body.includes('"stuck"') ? 500 : 200 })
    for (const groupId of ['stuck', 'free']) {
      await scenario.server.groups.create('acme', { wabaNumber: waba, subject: 'x', groupId })
      await join(scenario, groupId)
    }
    await scenario.advance(0)
    equal(await statuses(scenario), ['pending', 'waiting', 'delivered', 'delivered'])
  },

  'CALL_AI_SUMMARY never overtakes CALL_ENDED of its call before that is delivered or exhausted':
    async () => {
      for (const isEverDelivered of [true, false]) {
        const scenario = await createScenario({ random: () => 0 })
        await scenario.subscribe('PSTN')
        scenario.respond = ({ event, at }) =>
          new Response(null, {
            status: event !== 'CALL_ENDED' || (isEverDelivered && at > start + day) ? 200 : 500,
          })
        const callId = await playCall(scenario)
        await scenario.server.summaries.save('acme', callId, summary, { generatedBy: 'automatic' })
        await scenario.advance(10 * day)
        const last = scenario.sent.slice(-2)
        equal(
          last.map(({ event }) => event),
          ['CALL_ENDED', 'CALL_AI_SUMMARY'],
        )
        equal(last[0]?.at, last[1]?.at)
        const { items } = await scenario.server.deliveries.list('acme')
        equal(items.map(({ status }) => status).slice(2), [
          isEverDelivered ? 'delivered' : 'exhausted',
          'delivered',
        ])
      }
    },

  'concurrency is limited in total and per subscription': async () => {
    for (const [subscriptions, most] of [
      [1, 4],
      [2, 6],
    ] as const) {
      // Otherwise, an attempt that takes long would no longer count.
      const delivery = { concurrency: 6, perSubscription: 4, sharesFairly: false }
      const scenario = await createScenario({ delivery })
      for (let index = 0; index < subscriptions; index++) await scenario.subscribe()
      for (let index = 0; index < 20; index++) await postGroup(scenario)
      const running = new Map<string, number>()
      const seen = { all: 0, one: 0 }
      const full = Promise.withResolvers<void>()
      scenario.respond = async ({ attempted }) => {
        const { id } = attempted.subscription
        running.set(id, (running.get(id) ?? 0) + 1)
        seen.one = Math.max(seen.one, ...running.values())
        const all = [...running.values()].reduce((sum, each) => sum + each, 0)
        seen.all = Math.max(seen.all, all)
        // The first attempts wait for each other. Otherwise, how many run would depend on how long a response takes.
        if (all >= most) full.resolve()
        await full.promise
        running.set(id, (running.get(id) ?? 0) - 1)
        return new Response()
      }
      await scenario.advance(0)
      equal([scenario.sent.length, seen.all], [20 * subscriptions, most])
      ok(subscriptions === 1 ? seen.one === 4 : seen.one <= 4, JSON.stringify(seen))
    }
  },
})

const again = defineCases('Sending again', {
  'a selection that is invalid, or selects everything by mistake, is refused': async () => {
    const { deliveries } = (await createScenario()).server
    const noObject = 'must be an object, such as { deliveryId }'
    const noCondition = 'must have a condition, or all: true to select everything'
    for (const [selection, message] of [
      ['dlv_1', noObject],
      [null, noObject],
      [['dlv_1'], noObject],
      [{}, noCondition],
      [{ deliveryId: undefined }, noCondition],
      [
        { deliveryID: 'dlv_1' },
        'deliveryID: is not a condition; valid conditions: deliveryId, eventId, subscriptionId, names, subject, digits, occurredFrom, occurredBefore, text, statuses, finishedFrom, finishedBefore, responses, anyResponses, attemptedFrom, attemptedBefore',
      ],
    ]) {
      for (const change of [deliveries.resend, deliveries.cancelPart, deliveries.retryPart]) {
        // Calls it as untyped code would.
        const refused = Reflect.apply(change, deliveries, ['acme', selection])
        await rejects(refused, { name: 'InputError', message })
      }
    }
    equal(await deliveries.resend('acme', { all: true }), 0)
  },

  'an exhausted delivery is stored and can be sent again, with the same webhook-id and a new schedule':
    async () => {
      const scenario = await failingWorld({ random: () => 0 })
      await postGroup(scenario)
      await scenario.advance(4 * day)
      const [delivery] = (await scenario.server.deliveries.list('acme')).items
      equal([delivery?.status, delivery?.attempts], ['exhausted', 10])
      equal(await scenario.server.deliveries.resend('acme', { deliveryId: delivery?.id }), 1)
      await scenario.advance(0)
      equal(scenario.sent.length, 11)
      equal(new Set(scenario.sent.map(({ headers }) => headers.get('webhook-id'))).size, 1)
      equal(await scenario.server.dispatcher.nextDueAt(), scenario.clock.time + 5 * second)
    },

  'a delivery is sent again with a new webhook-id only on request': async () => {
    const scenario = await createScenario()
    await scenario.subscribe()
    await postGroup(scenario)
    await scenario.advance(0)
    scenario.clock.time += 1
    await scenario.server.deliveries.resend('acme', { all: true }, { newWebhookId: true })
    await scenario.advance(0)
    const ids = scenario.sent.map(({ headers }) => headers.get('webhook-id'))
    equal([ids.length, new Set(ids).size], [2, 2])
    ok(ids[1]?.startsWith(`${ids[0]}-`), String(ids))
  },

  'the new webhook-id can be signed, even if the clock returns fractions of a millisecond': async () => {
    const scenario = await createScenario()
    await scenario.subscribe()
    await postGroup(scenario)
    await scenario.advance(0)
    scenario.clock.time += 1.625
    await scenario.server.deliveries.resend('acme', { all: true }, { newWebhookId: true })
    await scenario.advance(0)
    const ids = scenario.sent.map(({ headers }) => headers.get('webhook-id'))
    equal([ids.length, ids.filter((id) => id?.includes('.'))], [2, []])
  },

  'custom ids that are not valid as a webhook-id are rejected when an event is published': async () => {
    for (const id of ['evt.1', 'evt 1', 'évt', '']) {
      const scenario = await createScenario({ ids: (prefix) => (prefix === 'evt' ? id : `${prefix}_1`) })
      const message = `ids('evt') returned ${JSON.stringify(id)}. Return visible ASCII characters without a full stop: the id is also the webhook-id of the event's deliveries.`
      await rejects(scenario.server.groups.create('acme', createBody), { name: 'TypeError', message })
    }
  },

  'deliveries that were skipped while the subscription was disabled can be sent by range, in order':
    async () => {
      const scenario = await createScenario()
      const id = await scenario.subscribe('PSTN')
      await scenario.server.subscriptions.update('acme', id, { enabled: false })
      for (let index = 0; index < 3; index++) {
        await playCall(scenario, { callId: `c${index}` })
        scenario.clock.time += hour
      }
      equal(await scenario.server.deliveries.resend('acme', { statuses: ['skipped'] }), 0)
      await scenario.server.subscriptions.update('acme', id, { enabled: true })
      await scenario.advance(day)
      equal(scenario.sent, [])
      const range = {
        subscriptionId: id,
        statuses: ['skipped'] as const,
        occurredFrom: start + hour,
        occurredBefore: start + 2 * hour,
      }
      equal(await scenario.server.deliveries.resend('acme', range), 3)
      await scenario.advance(0)
      equal(
        scenario.sent.map(({ event, body }) => [event, JSON.parse(body).callId]),
        [
          ['CALL_INCOMING_INITIATED', 'c1'],
          ['CALL_ACCEPTED', 'c1'],
          ['CALL_ENDED', 'c1'],
        ],
      )
    },

  'a request is shown as it was sent, with everything that has changed since': async () => {
    const scenario = await createScenario()
    const id = await scenario.subscribe()
    const { deliveries, subscriptions } = scenario.server
    await subscriptions.rotateSecret('acme', id)
    await postGroup(scenario)
    await scenario.advance(0)
    const [delivery] = (await deliveries.list('acme')).items
    const show = async () => {
      const [attempt] = await deliveries.attempts('acme', delivery?.id ?? '')
      return deliveries.sign('acme', delivery?.id ?? '', attempt?.startedAt ?? 0)
    }
    const first = await show()
    equal(first?.changed, [])
    for (const [name, value] of Object.entries(first?.headers ?? {})) {
      equal(scenario.sent[0]?.headers.get(name), value)
    }

    scenario.clock.time += 1_000
    await subscriptions.rotateSecret('acme', id)
    await deliveries.resend('acme', { all: true }, { newWebhookId: true })
    equal((await show())?.changed, ['secret', 'webhook_id'])
    const signature = (await show())?.headers['webhook-signature']
    equal([first?.headers['webhook-signature']?.split(' ').length, signature?.split(' ').length], [2, 1])
    await subscriptions.rotateSecret('acme', id, { overlapMs: 0 })
    equal((await show())?.changed, ['subscription', 'webhook_id'])
  },

  'a request is shown with its traceparent and the names of its other headers; changes in the same millisecond are not':
    async () => {
      const scenario = await createScenario()
      const { deliveries, subscriptions } = scenario.server
      await subscriptions.create('acme', {
        channel: 'WHATSAPP',
        number: waba,
        url: 'https://receiver.example/',
        headers: { 'x-b': '1', 'x-a': '2' },
      })
      const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'
      await postGroup(scenario, createBody, { headers: { traceparent } })
      await deliveries.resend('acme', { all: true }, { newWebhookId: true })
      await scenario.advance(0)
      scenario.clock.time += 1
      await deliveries.resend('acme', { all: true }, { newWebhookId: true })
      await postGroup(scenario)
      await scenario.advance(0)
      const { items } = await deliveries.list('acme')
      const shown = await Promise.all(items.map(({ id }) => deliveries.sign('acme', id, start + 1)))
      equal(
        shown.map((each) => [each?.headers.traceparent, each?.hiddenHeaders, each?.changed]),
        [
          [traceparent, ['x-a', 'x-b'], []],
          [undefined, ['x-a', 'x-b'], []],
        ],
      )
      equal('traceparent' in (shown[1]?.headers ?? {}), false)
      equal((await deliveries.sign('acme', items[1]?.id ?? '', start))?.changed, [])
      equal(await deliveries.sign('acme', 'dlv_1', start), undefined)
    },

  'a selection is counted, and canceled without any delivery being sent in the meantime': async () => {
    const scenario = await createScenario()
    const id = await scenario.subscribe('PSTN')
    await playCall(scenario, { callId: 'c1' })
    await playCall(scenario, { callId: 'c2' })
    const { deliveries } = scenario.server
    const ofCall = { subject: 'call:c1' }
    const waiting = { ...ofCall, statuses: ['delivered', 'waiting'] as const }
    equal(await deliveries.cancelPart('acme', ofCall, { dryRun: true }), { count: 3 })
    equal(await deliveries.cancelPart('acme', waiting, { dryRun: true }), { count: 2 })
    equal(await deliveries.cancelPart('acme', { ...ofCall, statuses: ['delivered'] }), { count: 0 })
    equal(await deliveries.cancelPart('acme', ofCall), { count: 3 })
    equal(await deliveries.cancelPart('acme', ofCall), { count: 0 })
    await scenario.advance(day)
    equal(new Set(scenario.sent.map(({ body }) => JSON.parse(body).callId)), new Set(['c2']))

    equal(await deliveries.resend('acme', ofCall, { dryRun: true }), 3)
    equal((await deliveries.list('acme', { statuses: ['skipped'] })).items.length, 3)
    await scenario.server.subscriptions.update('acme', id, { enabled: false })
    equal(await deliveries.resend('acme', { all: true }, { dryRun: true }), 0)
  },

  'a delivery that is being attempted is not canceled with a selection, and not counted': async () => {
    const responded = Promise.withResolvers<Response>()
    const scenario = await createScenario({ fetch: () => responded.promise })
    await scenario.subscribe('PSTN')
    await playCall(scenario)
    const { deliveries, dispatcher } = scenario.server
    const waitFor = async (status: string): Promise<void> => {
      while (!(await statuses(scenario)).includes(status))
        await new Promise((resolve) => setTimeout(resolve, 1))
    }
    dispatcher.start()
    await waitFor('attempting')
    for (const dryRun of [true, false]) {
      equal(await deliveries.cancelPart('acme', { all: true }, { dryRun }), { count: 2 })
    }
    equal(await statuses(scenario), ['attempting', 'skipped', 'skipped'])
    responded.resolve(new Response())
    await waitFor('delivered')
    await dispatcher.stop()
  },

  'the pending deliveries of a selection are counted, and retried now; their schedules continue':
    async () => {
      const scenario = await failingWorld()
      const { deliveries } = scenario.server
      await scenario.subscribe('PSTN')
      for (const callId of ['c1', 'c2']) await playCall(scenario, { callId })
      await scenario.advance(0)
      const attempts = async () =>
        (await deliveries.list('acme', { statuses: ['pending'] })).items.map((each) => each.attempts)
      equal(await attempts(), [1, 1])
      equal(await deliveries.retryPart('acme', { all: true }, { dryRun: true }), { count: 2 })
      equal(await deliveries.retryPart('acme', { all: true, statuses: ['waiting', 'exhausted'] }), {
        count: 0,
      })
      await scenario.advance(0)
      equal(await attempts(), [1, 1])
      equal(await deliveries.retryPart('acme', { subject: 'call:c1' }), { count: 1 })
      await scenario.advance(0)
      equal((await attempts()).sort(), [1, 2])
    },

  'a delivery that has failed is counted, even if it was deferred as often': async () => {
    const scenario = await failingWorld({ random: () => 0 })
    const answers = [answer(500), answer(409, { 'retry-after': '600' })]
    scenario.respond = () => (answers.shift() ?? answer(200))()
    await postGroup(scenario)
    await scenario.advance(minute)
    const { deliveries } = scenario.server
    includes((await deliveries.list('acme')).items[0], { status: 'pending', failures: 1, deferrals: 1 })
    equal(await deliveries.resend('acme', { all: true }, { dryRun: true }), 1)
    equal(await deliveries.resend('acme', { all: true }), 1)
    equal(await deliveries.resend('acme', { all: true }, { dryRun: true }), 0)
  },

  'the newest delivery of a lane is canceled first, so that the lane does not continue': async () => {
    const base = await openStore()
    const canceled: string[] = []
    const scenario = await createScenario({
      store: {
        ...base,
        cancelDelivery: async (change) => {
          canceled.push(change.deliveryId)
          return base.cancelDelivery(change)
        },
      },
    })
    await scenario.subscribe('PSTN')
    await playCall(scenario)
    const { items } = await scenario.server.deliveries.list('acme', { order: 'newest_first' })
    await scenario.server.deliveries.cancelPart('acme', { all: true })
    equal(
      canceled,
      items.map(({ id }) => id),
    )
  },

  'a part of a change starts at its cursor, and ends after 10,000 deliveries': async () => {
    const cursors: unknown[] = []
    const readPage = (cursor: string | undefined): string | undefined => {
      cursors.push(cursor)
      return cursors.length < 40 ? String(cursors.length) : undefined
    }
    const { server } = await createScenario({
      store: {
        ...(await openStore()),
        resendDeliveries: async ({ cursor, limit }) => ({ resent: limit, nextCursor: readPage(cursor) }),
        listDeliveries: async ({ cursor }) => ({ items: [], nextCursor: readPage(cursor) }),
      },
    })
    const { resendPart, cancelPart, retryPart } = server.deliveries
    const resent = await resendPart('acme', { all: true }, { cursor: 'start' })
    equal([resent, cursors.length, cursors[0]], [{ count: 10_000, nextCursor: '20' }, 20, 'start'])
    cursors.length = 0
    const canceled = await cancelPart('acme', { all: true }, { cursor: 'start' })
    equal([canceled, cursors.length, cursors[0]], [{ count: 0, nextCursor: '20' }, 20, 'start'])
    equal(await cancelPart('acme', { all: true }, { cursor: canceled.nextCursor }), { count: 0 })
    equal(cursors.slice(20, 22), ['20', '21'])
    cursors.length = 0
    const retried = await retryPart('acme', { all: true }, { cursor: 'start' })
    equal([retried, cursors.length, cursors[0]], [{ count: 0, nextCursor: '20' }, 20, 'start'])
  },

  'a range of more than a thousand deliveries is sent completely': async () => {
    const scenario = await createScenario()
    const id = await scenario.subscribe()
    await scenario.server.subscriptions.update('acme', id, { enabled: false })
    // At once, so that a database commits many of them together.
    const create = () => scenario.server.groups.create('acme', { wabaNumber: waba, subject: 'x' })
    await Promise.all(Array.from({ length: 1_200 }, create))
    await scenario.server.subscriptions.update('acme', id, { enabled: true })
    equal(await scenario.server.deliveries.resend('acme', { all: true }), 1_200)
    await scenario.advance(0)
    equal(new Set(scenario.sent.map(({ headers }) => headers.get('webhook-id'))).size, 1_200)
  },
})

const running = defineCases('Dispatcher', {
  'runDue sends all due deliveries, including those that become due in the meantime, and resolves when they are settled':
    async () => {
      const scenario = await createScenario()
      await scenario.subscribe('PSTN')
      await playCall(scenario)
      await scenario.server.dispatcher.runDue()
      equal(await statuses(scenario), ['delivered', 'delivered', 'delivered'])
    },

  'start sends the first attempts at once, without runDue': async () => {
    const scenario = await createScenario()
    await scenario.subscribe()
    const arrived = new Promise<void>((resolve) => {
      scenario.respond = () => {
        resolve()
        return new Response()
      }
    })
    scenario.server.dispatcher.start()
    scenario.server.dispatcher.start()
    await postGroup(scenario)
    await arrived
    await scenario.server.dispatcher.stop()
    equal(await statuses(scenario), ['delivered'])
  },

  'start sends deliveries that were already due': async () => {
    const scenario = await createScenario()
    await scenario.subscribe()
    await postGroup(scenario)
    const settled = new Promise<void>((resolve) => scenario.server.dispatcher.onAttempt(() => resolve()))
    scenario.server.dispatcher.start()
    await settled
    await scenario.server.dispatcher.stop()
    equal(await statuses(scenario), ['delivered'])
  },

  'start retries when the next attempt is due': async () => {
    const scenario = await createScenario({ delivery: { pollMs: 20 } })
    await scenario.subscribe()
    scenario.respond = () => new Response(null, { status: scenario.sent.length < 2 ? 500 : 200 })
    const settled = new Promise<void>((resolve) => {
      scenario.server.dispatcher.onAttempt(({ result }) => {
        if (result.kind === 'retry') scenario.clock.time += 6_000
        if (result.kind === 'delivered') resolve()
      })
    })
    scenario.server.dispatcher.start()
    await postGroup(scenario)
    await settled
    await scenario.server.dispatcher.stop()
    equal(scenario.sent.length, 2)
  },

  'ends running attempts when the store has lost its worker, and attempts them again': async () => {
    let loseWorker = (): void => {}
    const base = await openStore()
    const store: Store = {
      ...base,
      listen: (listener) => {
        loseWorker = () => listener({ kind: 'lost' })
        return base.listen(listener)
      },
    }
    const scenario = await createScenario({ store, delivery: { pollMs: 20 } })
    await scenario.subscribe()
    const results: string[] = []
    // The second attempt fails, so the third one is to a failing endpoint.
    scenario.respond = () => {
      if (scenario.sent.length % 2 === 0)
        return new Response(null, { status: scenario.sent.length === 2 ? 500 : 200 })
      queueMicrotask(() => loseWorker())
      return new Promise(() => {})
    }
    const delivered = new Promise<void>((resolve) => {
      scenario.server.dispatcher.onAttempt(({ result }) => {
        results.push(result.kind)
        if (result.kind === 'retry') scenario.clock.time += 6_000
        if (result.kind === 'delivered') resolve()
      })
    })
    scenario.server.dispatcher.start()
    await postGroup(scenario)
    await delivered
    equal(results, ['released', 'retry', 'released', 'delivered'])
    await scenario.server.dispatcher.stop()
    const { shards } = await store.renewWorker({ worker: 'another', leaseMs: 1, now: scenario.clock.time })
    equal(new Set(shards.map(({ owner }) => owner)), new Set([null]))
  },

  'stop lets running attempts finish, and starts no more': async () => {
    const scenario = await createScenario({ delivery: { concurrency: 1 } })
    await scenario.subscribe()
    await postGroup(scenario)
    await postGroup(scenario)
    const begun = new Promise<void>((resolve) => {
      scenario.respond = async () => {
        resolve()
        await new Promise((go) => setTimeout(go, 10))
        return new Response()
      }
    })
    scenario.server.dispatcher.start()
    await begun
    await scenario.server.dispatcher.stop()
    equal(await statuses(scenario), ['delivered', 'pending'])
  },

  'stop releases attempts that do not finish in time: they are due at once and not counted': async () => {
    const scenario = await createScenario()
    await scenario.subscribe()
    await postGroup(scenario)
    const begun = new Promise<void>((resolve) => {
      scenario.respond = () => {
        resolve()
        return new Promise(() => {})
      }
    })
    const reports: unknown[] = []
    scenario.server.dispatcher.onAttempt(({ attempted, result, settlement }) => {
      reports.push([attempted.delivery.id, result, settlement])
    })
    scenario.server.dispatcher.start()
    await begun
    await scenario.server.dispatcher.stop({ graceMs: 5 })
    const [delivery] = (await scenario.server.deliveries.list('acme')).items
    equal(reports, [[delivery?.id, { kind: 'released' }, { outcome: 'stale' }]])
    includes(delivery, { status: 'pending', attempts: 0, failures: 0, dueAt: start })
    scenario.respond = answer(200)
    await scenario.server.dispatcher.runDue()
    equal(await statuses(scenario), ['delivered'])
  },

  'onAttempt reports the delivery, the result and the settlement of each attempt': async () => {
    const scenario = await createScenario()
    await scenario.subscribe()
    const reports: unknown[] = []
    const stop = scenario.server.dispatcher.onAttempt(({ attempted, result, settlement }) => {
      reports.push([attempted.event.name, result.kind, settlement.outcome])
    })
    const fails = scenario.server.dispatcher.onAttempt(() => {
      throw new Error('a listener that throws')
    })
    await postGroup(scenario)
    await scenario.advance(0)
    stop()
    fails()
    await postGroup(scenario)
    await scenario.advance(0)
    equal(reports, [['GROUP_CREATED', 'delivered', 'settled']])
    equal(scenario.errors.map(String), ['Error: a listener that throws'])
  },

  'the outcome of an attempt does not count if another worker has taken over the delivery': async () => {
    const store = await openStore()
    const scenario = await createScenario({ store })
    await scenario.subscribe()
    await postGroup(scenario)
    scenario.respond = async () => {
      const now = scenario.clock.time + 2 * 365 * day
      const { shards } = await store.renewWorker({ worker: 'another', leaseMs: 1_000, now })
      const taken = await store.takeShards({ worker: 'another', shards, now })
      equal(taken.length, store.shards)
      return new Response(null, { status: 500 })
    }
    const outcomes: string[] = []
    scenario.server.dispatcher.onAttempt(({ settlement }) => outcomes.push(settlement.outcome))
    await scenario.server.dispatcher.runDue()
    const [delivery] = (await scenario.server.deliveries.list('acme')).items
    equal(outcomes, ['stale'])
    includes(delivery, { status: 'pending', attempts: 0 })
  },

  'a result whose commit was not confirmed is written again': async () => {
    const store = await openStore()
    let losses = 1
    const scenario = await createScenario({
      store: {
        ...store,
        settleDeliveries: async (settlements) => {
          const outcome = await store.settleDeliveries(settlements)
          if (losses-- > 0) throw new StorageOutcomeUnknownError('cut off')
          return outcome
        },
      },
    })
    await scenario.subscribe()
    await postGroup(scenario)
    await scenario.server.dispatcher.runDue()
    equal([scenario.sent.length, await statuses(scenario), losses], [1, ['delivered'], -1])
  },
})

/** Deliveries. */
export const deliveryCases = [...signing, ...schedule, ...order, ...again, ...running]
