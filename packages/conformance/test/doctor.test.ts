import { appendFileSync, mkdtempDisposableSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  ExaminationUsageError,
  type Exchange,
  endpointCheckIds,
  examineEndpoint,
  formatReport,
  type Report,
  reportFormats,
  TargetUnreachableError,
} from '@wabakit/conformance'
import { toPass } from '@wabakit/conformance/matchers'
import { describe, expect, test, vi } from 'vitest'
import {
  createVerify,
  type Incoming,
  listen,
  type Parts,
  previousSecret,
  secret,
  startEndpoint,
  type Tools,
} from './endpoint.ts'
import { examine, examineUndisturbed, listFindings } from './examine.ts'

vi.setConfig({ maxConcurrency: 6, testTimeout: 1_200_000 })

const find = ({ checks }: Report, id: string) => {
  const check = checks.find((each) => each.id === id)
  if (check === undefined) throw new Error(`no check ${id}`)
  return check
}

/** Takes turns of the event loop, in which what was sent at once arrives. A busy machine makes them longer, but not fewer. */
const takeTurns = async () => {
  for (let turn = 0; turn < 20; turn += 1) await sleep(10)
}

/** Handles one event at a time, and loses what arrives meanwhile. */
const loseWhileBusy = ({ effects }: Tools): Partial<Parts> => {
  let isBusy = false
  return {
    handle: async (event) => {
      if (isBusy) return
      isBusy = true
      await takeTurns()
      isBusy = false
      effects.push(JSON.stringify(event))
    },
  }
}

/** Loses one event of eleven. */
const loseSome = ({ right }: Tools): Partial<Parts> => {
  let count = 0
  return {
    handle: (event, id) => {
      count += 1
      if (count % 11 !== 0) void right.handle(event, id)
    },
  }
}

/** Stable ids, which scripts use to select checks. */
const promised = `accepts-genuine accepts-every-event accepts-unknown-event accepts-extra-fields
  accepts-body-bytes-as-sent accepts-either-secret-in-rotation accepts-multiple-signatures responds-in-time
  refuses-unsigned refuses-wrong-secret refuses-tampered-body refuses-appended-body refuses-swapped-id
  refuses-swapped-timestamp refuses-truncated-signature refuses-empty-signature refuses-other-version
  refuses-signature-of-parsed-body refuses-empty-secret refuses-duplicate-headers survives-forged-claim
  refuses-stale-timestamp refuses-future-timestamp refuses-malformed-timestamp handles-replay-once
  handles-duplicate-once handles-concurrent-duplicates-once handles-same-event-under-new-id-once
  survives-out-of-order survives-missing-predecessor survives-repeated-not-picked refuses-oversized-body
  refuses-invalid-utf8 refuses-malformed-json survives-deep-nesting survives-prototype-keys
  survives-duplicate-keys survives-slow-body survives-aborted-body survives-malformed-request-line
  survives-burst refuses-get keeps-secrets-out-of-answers keeps-stacks-out-of-answers does-not-redirect
  recovers-after-attacks`.split(/\s+/)

test('has every stable check id exactly once', () => {
  expect(promised.filter((id) => !endpointCheckIds.includes(id))).toEqual([])
  expect(new Set(endpointCheckIds).size).toBe(endpointCheckIds.length)
  expect(endpointCheckIds.length).toBeGreaterThanOrEqual(40)
  expect(endpointCheckIds[0]).toBe('accepts-genuine')
})

describe.concurrent('the positive control', () => {
  test('makes every check inconclusive that an endpoint could pass by refusing everything', async () => {
    await using endpoint = await startEndpoint(() => ({ verify: () => 'never' }))
    const report = await examine(endpoint)
    expect(report.verdict).toBe('inconclusive')
    expect(find(report, 'accepts-genuine')).toMatchObject({
      verdict: 'inconclusive',
      observed: expect.stringContaining('401: the secret'),
    })
    const passed = report.checks.filter(({ verdict }) => verdict === 'pass').map(({ id }) => id)
    expect(passed.filter((id) => /^(?:refuses|survives|handles)/.test(id))).toEqual([])
    expect(report.counts.fail).toBe(0)
  })

  test.each<{ mistake: string; verify: Parameters<typeof createVerify>[0] }>([
    { mistake: 'with the text of the secret', verify: { secrets: [secret] } },
    { mistake: 'with the text that follows whsec_', verify: { secrets: [secret.slice(6)] } },
    { mistake: 'with the whole secret', verify: { secrets: [Buffer.from(secret, 'base64')] } },
    {
      mistake: 'in hexadecimal',
      verify: {
        compare: (given, expected) => given === Buffer.from(expected, 'base64').toString('hex'),
      },
    },
    { mistake: 'without its id', verify: { content: (_, timestamp) => `${timestamp}.` } },
    { mistake: 'by its body alone', verify: { content: () => '' } },
    {
      mistake: 'after its body was parsed',
      // Like json.dumps(json.loads(body)) in Python, for an object of texts and one number.
      verify: { body: (body) => body.toString().replaceAll('":', '": ').replaceAll(',"', ', "') },
    },
    {
      mistake: 'after the keys of its body were sorted',
      verify: {
        body: (body) =>
          JSON.stringify(Object.fromEntries(Object.entries(JSON.parse(body.toString())).sort())),
      },
    },
  ])('names the mistake if a delivery must be signed $mistake', async ({ mistake, verify }) => {
    await using endpoint = await startEndpoint(() => ({ verify: createVerify(verify) }))
    const report = await examine(endpoint, { only: ['refuses-unsigned'] })
    expect(find(report, 'accepts-genuine')).toMatchObject({
      verdict: 'fail',
      observed: expect.stringContaining(`only if it is signed ${mistake}`),
    })
    expect(find(report, 'refuses-unsigned')).toMatchObject({
      verdict: 'inconclusive',
      observed: 'genuine deliveries are not accepted: see accepts-genuine',
    })
  })

  // The first event of the control, one with UUIDs and another one; the next one has the first mistaken signature.
  test.each([
    { statuses: [500, 500, 500] },
    { statuses: [500, 500, 500, 200, 500] },
    { statuses: [500, 200, 429] },
  ])(
    'names no mistake of an endpoint that verifies nothing and starts with $statuses',
    async ({ statuses }) => {
      let count = 0
      await using endpoint = await startEndpoint(({ right }) => ({
        verify: () => undefined,
        receive: async (parts, request, response) => {
          const { [count]: status = 200 } = statuses
          count += 1
          if (status === 200) return right.receive(parts, request, response)
          await parts.read(request)
          parts.respond(response, status, 'starting')
        },
      }))
      const report = await examine(endpoint, { only: ['refuses-unsigned'] })
      expect(find(report, 'accepts-genuine')).toMatchObject({
        verdict: 'inconclusive',
        observed: '500: its handler probably failed; see the log of the endpoint',
      })
    },
  )

  test.each([404, 405, 415])(
    'tries no mistaken signatures on an endpoint that responds %i',
    async (status) => {
      await using endpoint = await startEndpoint(({ right }) => ({
        verify: () => 'never',
        respond: (response, _, text) => right.respond(response, status, text),
      }))
      const signatures: unknown[] = []
      await examine(endpoint, {
        only: ['accepts-genuine'],
        onExchange: (_, { request: { headers } }) => signatures.push(headers['webhook-signature']),
      })
      expect(signatures).toHaveLength(3)
    },
  )

  test('still reports a redirect as a failure', async () => {
    await using endpoint = await listen(
      createServer((_, response) => response.writeHead(301, { location: '/elsewhere' }).end()),
    )
    const report = await examine(endpoint)
    expect(listFindings(report).fail).toEqual(['does-not-redirect'])
    expect(find(report, 'does-not-redirect').observed).toBe('301 to /elsewhere')
  })

  test('rejects when no connection can be made', async () => {
    const closed = await listen(createServer())
    await closed[Symbol.asyncDispose]()
    await expect(examine(closed)).rejects.toThrow(TargetUnreachableError)
  })

  test('that is skipped is not said to have failed', async () => {
    await using endpoint = await startEndpoint()
    const report = await examine(endpoint, { only: ['refuses-unsigned'], skip: ['accepts-genuine'] })
    expect(find(report, 'refuses-unsigned').observed).toBe(
      'no genuine delivery was sent: see accepts-genuine',
    )
  })

  test('does not treat a connection that closes without a response as a refusal', async () => {
    await using endpoint = await startEndpoint(({ right }) => ({
      respond: (response, status, text) =>
        status === 401 ? response.destroy() : right.respond(response, status, text),
    }))
    const report = await examine(endpoint, { only: ['refuses-wrong-secret'] })
    expect(find(report, 'refuses-wrong-secret')).toMatchObject({
      verdict: 'inconclusive',
      observed: expect.stringContaining('no response'),
    })
  })

  test('does not treat a rate limit as a refusal', async () => {
    await using endpoint = await startEndpoint(({ right }) => ({
      respond: (response, status, text) => right.respond(response, status === 401 ? 429 : status, text),
    }))
    const report = await examine(endpoint, { only: ['refuses-wrong-secret'] })
    expect(find(report, 'refuses-wrong-secret').verdict).toBe('inconclusive')
  })

  test('does not treat an endpoint that is busy for a moment as one that fails at an event', async () => {
    await using endpoint = await startEndpoint(({ right }) => {
      const refused = new Set<string>()
      return {
        receive: async (parts, request, response) => {
          const body = await parts.read(request)
          const isFirst = body.includes('Grüße') && refused.size < refused.add(body.toString()).size
          if (isFirst) return parts.respond(response, 503, 'busy')
          await right.receive({ ...parts, read: async () => body }, request, response)
        },
        handle: (event) => {
          effects.push(JSON.stringify(event))
        },
      }
    })
    const { effects } = endpoint
    const report = await examine(endpoint, { only: ['keeps-every-letter', 'accepts-split-body'] })
    expect(report.counts).toMatchObject({ inconclusive: 2, fail: 0 })
    expect(find(report, 'keeps-every-letter').observed).toContain('raise its limit')
  })

  test('does not treat a limited delivery as one that was lost', async () => {
    await using endpoint = await startEndpoint(() => {
      let count = 0
      return {
        first: (request, response) => {
          count += 1
          // The first deliveries belong to the control.
          if (count <= 6) return false
          request.resume()
          response.writeHead(429, { 'retry-after': '60' }).end()
          return true
        },
      }
    })
    const ids = ['handles-duplicate-once', 'handles-replay-once', 'handles-concurrent-duplicates-once']
    const report = await examine(endpoint, { only: ids })
    expect(ids.map((id) => find(report, id).verdict)).toEqual(ids.map(() => 'inconclusive'))
    expect(find(report, 'handles-duplicate-once').observed).toContain('raise its limit')
  })
})

describe.concurrent('effects', () => {
  test('that are not given make dependent checks inconclusive, with advice on how to provide them', async () => {
    await using endpoint = await startEndpoint()
    const only = ['refuses-get', 'handles-duplicate-once']
    const report = await examine(endpoint, { effects: undefined, only })
    // No check has shown that it handles a delivery once.
    expect(report.verdict).toBe('inconclusive')
    expect(find(report, 'handles-duplicate-once')).toMatchObject({
      verdict: 'inconclusive',
      observed: expect.stringContaining('--effects'),
    })
  })

  test('are not required when the checks for once-only handling are skipped', async () => {
    await using endpoint = await startEndpoint()
    const only = endpointCheckIds.filter((id) => id.startsWith('handles-'))
    const skip = only.filter((id) => id.endsWith('-once'))
    const report = await examine(endpoint, { effects: undefined, only, skip })
    expect(report.verdict).toBe('pass')
  })

  test('that are not given leave a run open whose only check needs them', async () => {
    await using endpoint = await startEndpoint()
    const repeat = { only: ['keeps-values'], effects: undefined }
    expect((await examine(endpoint, repeat)).verdict).toBe('inconclusive')
    const withAnother = { ...repeat, only: ['keeps-values', 'refuses-unsigned'] }
    expect((await examine(endpoint, withAnother)).verdict).toBe('pass')
  })

  test('that never appear prove nothing', async () => {
    await using endpoint = await startEndpoint()
    const only = ['handles-duplicate-once']
    const report = await examine(endpoint, { effects: () => '', only, limits: { firstEffectMs: 300 } })
    expect(find(report, 'handles-duplicate-once')).toMatchObject({
      verdict: 'inconclusive',
      observed: expect.stringContaining('either it does not list'),
    })
  })

  test('that show how calls start and end, but no summaries, blame no one', async () => {
    await using endpoint = await startEndpoint(({ effects, right }) => ({
      handle: (event, id) => {
        if (event.event === 'CALL_AI_SUMMARY') effects.push('a summary')
        else if (String(event.event).startsWith('CALL')) right.handle(event, id)
      },
    }))
    const report = await examine(endpoint)
    expect(listFindings(report).fail).toEqual([])
    expect(report.verdict).toBe('inconclusive')
    expect(find(report, 'handles-duplicate-once').observed).toContain('show calls, but neither')
  })

  test.each<[string, (event: Readonly<Record<string, unknown>>) => string]>([
    ['name', ({ event }) => `${event}`.toLowerCase().replaceAll('_', '.')],
    ['body', (event) => JSON.stringify(event)],
    ['state', ({ event }) => (event === 'CALL_AI_SUMMARY' ? 'summarized' : 'under way')],
  ])(
    'that show the %s of the latest event of each call do not tell whether its summary was kept',
    async (_, write) => {
      await using endpoint = await startEndpoint(({ effects }) => ({
        handle: (event) => {
          const line = `${event.callId ?? event.groupId} `
          const others = effects.filter((each) => !each.startsWith(line))
          effects.splice(0, effects.length, ...others, line + write(event))
        },
      }))
      const only = ['survives-out-of-order', 'keeps-summary-after-late-event']
      const report = await examine(endpoint, { only })
      expect(find(report, 'keeps-summary-after-late-event')).toMatchObject({
        verdict: 'inconclusive',
        observed: expect.stringContaining('let --effects print summaries'),
      })
      // Which of the events that arrive at once is the latest depends on the machine.
      expect(report).toMatchObject({ verdict: 'inconclusive', counts: { fail: 0 } })
    },
  )

  test('can come from a URL', async () => {
    await using endpoint = await startEndpoint(({ effects }) => ({
      handle: (event) => void effects.push(`${event.callId}`),
    }))
    await using page = await listen(createServer((_, response) => response.end(endpoint.effects.join('\n'))))
    const report = await examine(endpoint, { effects: page.url, only: ['handles-duplicate-once'] })
    expect(find(report, 'handles-duplicate-once')).toMatchObject({
      verdict: 'pass',
      observed: '3 attempts of one delivery had 1 effect',
    })
  })

  test('can come from a shell command, whose failure is inconclusive', async () => {
    using folder = mkdtempDisposableSync(join(tmpdir(), 'wabakit-effects-'))
    const file = join(folder.path, 'effects.log')
    await using endpoint = await startEndpoint(() => ({
      handle: ({ callId }) => appendFileSync(file, `${callId}\n`),
    }))
    const only = ['handles-replay-once'] as const
    const slower = { limits: { effectMs: 5_000 } }
    const report = await examine(endpoint, { effects: `cat "${file}"`, only, ...slower })
    expect(find(report, 'handles-replay-once').verdict).toBe('pass')
    const broken = await examine(endpoint, { effects: 'exit 7', only })
    expect(find(broken, only[0])).toMatchObject({
      verdict: 'inconclusive',
      observed: expect.stringContaining('ended with 7'),
    })
  })

  // They are awaited for three times as long as the first one took: here for two seconds longer than they take.
  test('that appear late are awaited based on the time of the first one', async () => {
    const handled: (() => void)[] = []
    let underWay = 0
    // Counts from the first reading that lacks an effect, so that a busy machine cannot show the effect before.
    const startLate = (): void => {
      for (const show of handled.splice(0)) {
        underWay += 1
        setTimeout(() => {
          underWay -= 1
          show()
        }, 1_000)
      }
    }
    await using endpoint = await startEndpoint(({ right }) => ({
      handle: (event, id) => void handled.push(() => right.handle(event, id)),
    }))
    let complete = 0
    const readings: Record<string, number> = {}
    const report = await examine(endpoint, {
      only: [
        'handles-what-it-accepts',
        'handles-duplicate-once',
        'handles-late-event',
        'handles-replay-once',
      ],
      limits: { firstEffectMs: 20_000, effectMs: 100 },
      effects: () => {
        startLate()
        if (underWay === 0) complete += 1
        return endpoint.effects.join('\n')
      },
      onResult: ({ id }) => {
        readings[id] = complete
        complete = 0
      },
    })
    expect(report.checks.filter(({ verdict }) => verdict !== 'pass')).toEqual([])
    expect(report.counts.pass).toBe(5)
    // Only a check that looks for a second effect waits after the first one, for half as long again.
    expect(find(report, 'handles-replay-once').durationMs).toBeGreaterThan(2_400)
    expect(readings['handles-late-event']).toBeLessThanOrEqual(3)
  })

  test('that cannot be read once are read again', async () => {
    await using endpoint = await startEndpoint()
    let readings = 0
    const effects = () => {
      readings += 1
      if (readings % 2 === 1) throw new Error('database is locked')
      return endpoint.effects.join('\n')
    }
    const report = await examine(endpoint, { effects, only: ['handles-what-it-accepts'] })
    expect(report).toMatchObject({ verdict: 'pass', counts: { inconclusive: 0 } })
  })

  test('that can no longer be read leave the run open', async () => {
    await using endpoint = await startEndpoint()
    let isLocked = false
    const report = await examine(endpoint, {
      effects: () => {
        if (isLocked) throw new Error('database is locked')
        return endpoint.effects.join('\n')
      },
      only: ['handles-what-it-accepts', 'refuses-get'],
      onResult: ({ id }) => {
        isLocked = id === 'accepts-genuine'
      },
    })
    expect(find(report, 'handles-what-it-accepts').observed).toContain('database is locked')
    expect(report).toMatchObject({ verdict: 'inconclusive', counts: { fail: 0 } })
  })

  test('of an application that handles only groups are enough', async () => {
    await using endpoint = await startEndpoint(({ effects }) => ({
      handle: (event) => {
        if (event.event === 'GROUP_CREATED') effects.push(String(event.groupId))
      },
    }))
    const report = await examine(endpoint, { only: ['handles-duplicate-once', 'handles-replay-once'] })
    expect(report.counts).toMatchObject({ pass: 3, inconclusive: 0, fail: 0 })
  })

  test.each(['GROUP_PARTICIPANT_JOINED', 'CALL_MISSED'])(
    'of an application that handles only %s are enough',
    async (name) => {
      await using endpoint = await startEndpoint(({ right }) => ({
        handle: (event, id) => {
          if (event.event === name) return right.handle(event, id)
        },
      }))
      const only = ['handles-what-it-accepts', 'handles-duplicate-once', 'handles-ids-that-begin-alike']
      const report = await examine(endpoint, { only })
      expect(report.counts).toMatchObject({ pass: 4, inconclusive: 0, fail: 0 })
    },
  )
})

test('an endpoint that authenticates its sender by a header gets no signature checks', async () => {
  const headers = { 'X-Token': 'a-token-of-24-characters' }
  await using endpoint = await startEndpoint(() => ({
    verify: ({ request }) => (request.headers['x-token'] === headers['X-Token'] ? undefined : 'wrong token'),
    // The sender gives no ids.
    isDuplicate: () => false,
  }))
  const report = await examine(endpoint, {
    secret: undefined,
    previousSecret: undefined,
    headers,
    only: ['refuses-missing-credentials', 'refuses-wrong-secret', 'refuses-stale-timestamp'],
  })
  expect(report.verdict).toBe('pass')
  expect(find(report, 'refuses-wrong-secret')).toMatchObject({ verdict: 'skipped' })
  expect(find(report, 'refuses-stale-timestamp')).toMatchObject({ verdict: 'skipped' })
})

test('blames no endpoint that fails while this process is stopped, which may have run out of time', async () => {
  await using endpoint = await startEndpoint(() => ({
    first: (request, response) => {
      if (Number(request.headers['content-length']) < 1_000_000) return false
      for (const until = performance.now() + 3_000; performance.now() < until; );
      request.resume().once('end', () => response.writeHead(500).end())
      return true
    },
  }))
  const report = await examine(endpoint, { only: ['refuses-oversized-body'] })
  expect(find(report, 'refuses-oversized-body')).toMatchObject({
    verdict: 'inconclusive',
    observed: expect.stringContaining('500 to 1 MiB'),
  })
})

describe.concurrent('the run', () => {
  test('refuses a public target before sending anything, and states what it would send', async () => {
    const options = { url: 'https://203.0.113.7/webhooks', secret }
    await expect(examineEndpoint(options)).rejects.toThrow(ExaminationUsageError)
    await expect(examineEndpoint(options)).rejects.toThrow(/about \d+ requests.*--yes/)
  })

  test.each([
    [{ url: 'ftp://127.0.0.1/', secret }, /http/],
    [{ url: 'http://user:password@127.0.0.1/', secret }, /--basic/],
    [{ url: 'http://127.0.0.1/' }, /--secret, --header or --basic/],
    [{ url: 'http://127.0.0.1/', secret: 'whsec_not base64' }, /--secret must be/],
    [{ url: 'http://127.0.0.1/', secret, effects: '' }, /--effects must be/],
    [{ url: 'http://127.0.0.1/', secret, only: ['refuses-nothing'] }, /no check "refuses-nothing"/],
    [{ url: 'http://127.0.0.1/', headers: { 'x token': 'name' } }, /--header must have/],
    [{ url: 'http://127.0.0.1/', headers: { 'x-token': 'a\nb' } }, /--header must have/],
  ])('refuses options that it cannot work with: %j', async (options, message) => {
    await expect(examineEndpoint(options)).rejects.toThrow(ExaminationUsageError)
    await expect(examineEndpoint(options)).rejects.toThrow(message)
  })

  test.each(['survives-malformed-request-line', 'survives-slow-body', 'handles-retry-after-hang-up-once'])(
    'passes on what %s writes on connections of its own, without credentials',
    async (id) => {
      await using endpoint = await startEndpoint()
      const exchanges: Exchange[] = []
      const onExchange = (check: string, exchange: Exchange) => check === id && exchanges.push(exchange)
      await examine(endpoint, { only: [id], headers: { 'x-token': 'a-token-of-24-characters' }, onExchange })
      const raw = exchanges.filter(({ request }) => request.method === 'RAW')
      const texts = raw.map(({ request }) => Buffer.from(request.body).toString('latin1'))
      expect(texts.length).toBeGreaterThan(0)
      expect(texts.some((text) => text.startsWith('POST /'))).toBe(true)
      expect(texts.join()).not.toContain('a-token-of-24-characters')
    },
  )

  test('ends in time, and does not count skipped checks as passes', async () => {
    await using endpoint = await startEndpoint(({ right }) => ({
      handle: async (event, id) => {
        await new Promise((resolve) => setTimeout(resolve, 50))
        await right.handle(event, id)
      },
    }))
    const report = await examine(endpoint, { timeoutMs: 600 })
    expect(report.verdict).toBe('inconclusive')
    expect(report.checks.at(-2)?.observed).toMatch(/raise --timeout|no genuine/)
  })

  test('proves nothing if its last check does not end in time', async () => {
    // A GET gets no response.
    await using endpoint = await startEndpoint(() => ({ first: ({ method }) => method === 'GET' }))
    const report = await examine(endpoint, { timeoutMs: 1_500, only: ['refuses-get'] })
    expect(report.checks.at(-1)).toMatchObject({ id: 'refuses-get', verdict: 'inconclusive' })
    expect(report.verdict).toBe('inconclusive')
  })

  test('may have a time limit that is longer than a timer can be', async () => {
    await using endpoint = await startEndpoint()
    const report = await examine(endpoint, { timeoutMs: Number.POSITIVE_INFINITY, only: ['refuses-get'] })
    expect(find(report, 'refuses-get').verdict).toBe('pass')
  })

  test('sends the same attacks for the same seed, with new ids', async () => {
    await using endpoint = await startEndpoint()
    const record = async (seed: number) => {
      const signatures = new Set<string>()
      const ids = new Set<string>()
      await examine(endpoint, {
        seed,
        effects: undefined,
        only: ['accepts-multiple-signatures'],
        onExchange: (_, { request: { headers } }) => {
          ids.add(String(headers['webhook-id']))
          for (const each of String(headers['webhook-signature']).split(' ')) signatures.add(each)
        },
      })
      return { signatures, ids }
    }
    const countCommon = (left: Set<string>, right: Set<string>) =>
      [...left].filter((each) => right.has(each)).length
    const [one, two, three] = [await record(7), await record(7), await record(8)]
    expect(countCommon(one.ids, two.ids)).toBe(0)
    // The random part of this check is a wrong signature in each of its deliveries.
    expect(countCommon(one.signatures, two.signatures)).toBe(5)
    expect(countCommon(one.signatures, three.signatures)).toBe(0)
  })

  test('sends the same wrong credentials for the same seed', async () => {
    await using endpoint = await startEndpoint()
    const record = async () => {
      const sent: unknown[] = []
      await examine(endpoint, {
        headers: { 'x-webhook-token': 'a token of the sender' },
        effects: undefined,
        only: ['refuses-wrong-credentials'],
        onExchange: (_, { request: { headers } }) => sent.push(headers['x-webhook-token']),
      })
      return sent
    }
    expect(await record()).toEqual(await record())
  })

  test('says nothing about secrets and stack traces in responses if nothing was refused', async () => {
    await using endpoint = await startEndpoint(() => ({}))
    const ids = ['keeps-secrets-out-of-answers', 'keeps-stacks-out-of-answers']
    const examineWith = async (other: string) => {
      const report = await examine(endpoint, { only: [other, ...ids] })
      return ids.map((id) => find(report, id).verdict)
    }
    expect(await examineWith('accepts-genuine')).toEqual(['inconclusive', 'inconclusive'])
    expect(await examineWith('refuses-unsigned')).toEqual(['pass', 'pass'])
  })

  test('never prints a secret, whatever the endpoint responds', async () => {
    const password = 'correct horse battery staple'
    const keeps = ['keeps-secrets-out-of-answers', 'keeps-stacks-out-of-answers']
    const headers = { authorization: `Basic ${Buffer.from(`vendor:${password}`).toString('base64')}` }
    await using endpoint = await startEndpoint(({ right }) => ({
      respond: (response, status) =>
        right.respond(response, status, `${new Error(`${secret} ${previousSecret} ${password}`).stack}`),
    }))
    const only = ['refuses-unsigned', 'refuses-wrong-credentials', ...keeps]
    const report = await examine(endpoint, { headers, only })
    expect(listFindings(report).fail.filter((id) => keeps.includes(id))).toEqual(keeps)
    for (const format of reportFormats) {
      const text = formatReport(report, format)
      for (const each of [
        secret,
        secret.slice(6),
        previousSecret,
        password,
        headers.authorization.slice(6),
      ]) {
        expect(text).not.toContain(each)
      }
    }
  })

  test.each<[string, (text: string) => string]>([
    ['JSON of PHP', (text) => JSON.stringify(text).replaceAll('/', '\\/')],
    [
      'JSON of .NET',
      (text) => text.replace(/[+&]/g, (each) => `\\u00${each.charCodeAt(0).toString(16).toUpperCase()}`),
    ],
    ['a URL', encodeURIComponent],
    ['base64', btoa],
    ['one half', (text) => text.slice(0, text.length / 2 + 1)],
  ])('shows no secret that the endpoint writes in %s', async (_, write) => {
    const headers = { 'x-webhook-token': 'tok/AB+CD&12345678' }
    const token = 'url/0123+4567'
    await using endpoint = await startEndpoint(({ right }) => ({
      respond: (response, status) =>
        right.respond(response, status, `${write(headers['x-webhook-token'])} ${write(token)}`),
    }))
    const url = `${endpoint.url}?token=${encodeURIComponent(token)}`
    const bodies = new Set<string>()
    await examine(
      { ...endpoint, url },
      {
        headers,
        only: ['refuses-unsigned'],
        onExchange: (_, { body }) => void bodies.add(body.replace(/["=]/g, '')),
      },
    )
    expect([...bodies]).toEqual(['[redacted] [redacted]'])
  })

  test('reports every check in full, with a command to repeat it', async () => {
    await using endpoint = await startEndpoint(() => ({ verify: () => undefined }))
    const report = await examine(endpoint, { only: ['refuses-unsigned'] })
    expect(report).toMatchObject({ tool: 'doctor', target: endpoint.url, verdict: 'fail', seed: 42 })
    expect(find(report, 'refuses-unsigned')).toEqual({
      id: 'refuses-unsigned',
      group: 'forged',
      title: 'Refuses a delivery without a signature',
      severity: 'critical',
      clause: expect.stringContaining('Standard Webhooks'),
      verdict: 'fail',
      expected: '4xx',
      observed:
        '200 to no webhook-signature, no webhook- headers, no webhook-id, no webhook-timestamp, the type text/plain, the type application/xml, the type application/x-www-form-urlencoded, no type; 400 to the fields of a form',
      risk: expect.any(String),
      fix: expect.any(String),
      reproduce: expect.stringMatching(/^wabakit doctor 'http.*--repeat refuses-unsigned --seed 42$/),
      durationMs: expect.any(Number),
    })
    expect(toPass(report).pass).toBe(false)
    expect(toPass(report).message()).toContain('refuses-unsigned')
  })

  test('skips the checks in --skip, and reports that', async () => {
    await using endpoint = await startEndpoint()
    const report = await examine(endpoint, {
      only: ['refuses-get', 'survives-burst'],
      skip: ['survives-burst'],
    })
    expect(report.checks.map(({ id, verdict }) => [id, verdict])).toEqual([
      ['accepts-genuine', 'pass'],
      ['survives-burst', 'skipped'],
      ['refuses-get', 'pass'],
    ])
  })
})

const toEntity = (character: string) => `&#${character.codePointAt(0)};`
/** Writes each byte of what is not ASCII with `\\` and this prefix. */
const toBytes = (text: string, radix: 8 | 16, prefix: string) =>
  text.replace(/[^ -~]/gu, (character) =>
    Array.from(Buffer.from(character), (byte) => `\\${prefix}${byte.toString(radix)}`).join(''),
  )

/** Writes characters outside letters and digits as these languages and formats do. */
const escapes = {
  Go: (text: string) => text.replace(/[<>&]/g, (each) => `\\u00${each.charCodeAt(0).toString(16)}`),
  '.NET': (text: string) =>
    text.replace(
      /[^ -~]|[<>&+'`]/g,
      (each) => `\\u${each.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}`,
    ),
  PHP: (text: string) => text.replaceAll('/', '\\/'),
  'lines of text': (text: string) => text.replaceAll('\\n', '\n'),
  'a URL': (text: string) => encodeURIComponent(text),
  'a form': (text: string) => `${new URLSearchParams({ text })}`,
  'HTML with numbers': (text: string) => text.replace(/[^ -~]|"/gu, toEntity),
  'HTML with the names of Latin letters': (text: string) =>
    text.replaceAll('ü', '&uuml;').replaceAll('ß', '&szlig;').replaceAll('ö', '&ouml;'),
  'a page, which escapes markup': (text: string) =>
    `<tr><td>${text.replace(/[&<>"']/g, (each) => `&#${each.charCodeAt(0)};`)}</td></tr>`,
  'the bytes of Python': (text: string) => toBytes(text, 16, 'x'),
  'octal bytes of C': (text: string) => toBytes(text, 8, ''),
  Perl: (text: string) => text.replace(/[^ -~]/gu, (each) => `\\x{${each.codePointAt(0)?.toString(16)}}`),
}

/** An endpoint whose effects are whole events, written by this function. */
const startShowing = (write: (json: string) => string) =>
  startEndpoint(({ effects }) => {
    const shown = new Set<unknown>()
    return {
      handle: (event) => {
        const key = `${event.event} ${event.callId ?? event.groupId} ${event.customerPhone ?? ''}`
        if (shown.size < shown.add(key).size) effects.push(write(JSON.stringify(event)))
      },
    }
  })

describe.concurrent('effects', () => {
  test.each(Object.entries(escapes))('in the notation of %s are what they say', async (_, write) => {
    await using endpoint = await startShowing(write)
    const texts = ['keeps-every-letter', 'keeps-calls-apart', 'keeps-long-texts']
    const only = ['handles-unusual-ids', 'handles-unusual-group-ids', ...texts]
    const report = await examine(endpoint, { only })
    expect(report.checks.filter(({ verdict }) => verdict !== 'pass')).toEqual([])
  })

  test.each(['keyPoints', 'nextSteps'])('that are complete need not show %s', async (list) => {
    await using endpoint = await startShowing((json) => json.replace(RegExp(`"${list}":\\[[^\\]]*\\]`), ''))
    const report = await examine(endpoint, { only: ['keeps-long-texts'], effectsAreComplete: true })
    expect(find(report, 'keeps-long-texts')).toMatchObject({ verdict: 'pass' })
  })

  test.each<[string, (json: string) => string]>([
    ['at its end', (json) => json.slice(0, 5_000)],
    ['after a few words', (json) => json.replace(/("recap":".{12})[^"]*/, '$1')],
    ['at its first line break', (json) => json.replace(/("recap":"[^"]*?)\\n[^"]*/, '$1')],
    ['after the first key point', (json) => json.replace(/("keyPoints":\["[^"]*")[^\]]*/, '$1')],
    ['after the first next step', (json) => json.replace(/("nextSteps":\["[^"]*")[^\]]*/, '$1')],
    [
      'in its middle',
      (json) => (json.length > 5_000 ? `${json.slice(0, 2_000)}…${json.slice(-2_000)}` : json),
    ],
  ])('that are complete show that a summary was cut %s', async (_, cut) => {
    await using endpoint = await startShowing(cut)
    const only = ['keeps-long-texts']
    const [unknown, complete] = [
      await examine(endpoint, { only }),
      await examine(endpoint, { only, effectsAreComplete: true }),
    ]
    expect([find(unknown, only[0] ?? '').verdict, unknown.verdict]).toEqual(['inconclusive', 'inconclusive'])
    expect([find(complete, only[0] ?? '').verdict, complete.verdict]).toEqual(['fail', 'fail'])
    expect(find(complete, only[0] ?? '').reproduce).toContain(' --effects-complete ')
    expect(find(unknown, only[0] ?? '').reproduce).not.toContain(' --effects-complete ')
  })
})

/** Plants a mistake into an endpoint that has an effect for each event that it handles. */
const countEvents =
  (plant: () => Partial<Parts>) =>
  ({ effects }: Tools): Partial<Parts> => ({
    handle: (event) => void effects.push(`${event.event} ${event.callId ?? event.groupId}`),
    ...plant(),
  })

describe.concurrent('one mistake is one finding', () => {
  test('an endpoint that responds 500 to whatever it refuses has one mistake', async () => {
    await using endpoint = await startEndpoint(({ right }) => ({
      respond: (response, status, text) => right.respond(response, status >= 400 ? 500 : status, text),
    }))
    const bodies = ['refuses-oversized-body', 'refuses-malformed-json', 'refuses-invalid-utf8']
    const only = ['refuses-unsigned', ...bodies, 'refuses-without-failing', 'refuses-get']
    const { checks } = await examineUndisturbed(() => examine(endpoint, { only }))
    const failed = checks.filter(({ verdict }) => verdict === 'fail')
    expect(failed.map(({ id, because }) => because ?? id)).toEqual(Array(5).fill('refuses-without-failing'))
  })

  test.each([
    {
      mistake: 'has no deduplication',
      cause: 'handles-duplicate-once',
      others: ['handles-late-duplicate-once', 'ignores-unsigned-ids', 'remembers-for-a-minute'],
      plant: countEvents(() => ({ isDuplicate: () => false })),
    },
    {
      mistake: 'remembers a hundred ids',
      cause: 'handles-late-duplicate-once',
      others: ['remembers-for-a-minute'],
      plant: countEvents(() => {
        const seen: string[] = []
        const keep = (id: string) => seen.push(id) > 100 && void seen.shift()
        return { isDuplicate: (id) => seen.includes(id) || Boolean(keep(id)) }
      }),
    },
    {
      // As an endpoint whose lookup comes before its insert, but independent of timing.
      mistake: 'handles the second attempt, too',
      cause: 'handles-concurrent-duplicates-once',
      others: ['handles-retry-after-hang-up-once'],
      plant: countEvents(() => {
        const attempts = new Map<string, number>()
        const count = (id: string): number => attempts.set(id, (attempts.get(id) ?? 0) + 1).get(id) ?? 0
        return { isDuplicate: (id) => count(id) > 2 }
      }),
    },
    {
      mistake: 'compares as much as was sent',
      cause: 'refuses-truncated-signature',
      others: ['refuses-unsigned', 'refuses-empty-signature', 'refuses-secret-in-query'],
      plant: () => ({
        verify: createVerify({
          split: (text) => text.split(' '),
          compare: (given, expected) => `v1,${expected}`.startsWith(given),
        }),
      }),
    },
    {
      mistake: 'verifies only what has a signature',
      cause: 'refuses-unsigned',
      others: ['refuses-empty-signature', 'refuses-secret-in-query'],
      plant: ({ right }) => ({
        verify: (incoming) =>
          incoming.request.headers['webhook-signature'] ? right.verify(incoming) : undefined,
      }),
    },
    {
      mistake: 'verifies nothing',
      cause: 'refuses-wrong-secret',
      others: [
        'refuses-swapped-id',
        'refuses-stale-timestamp',
        'refuses-future-timestamp',
        'refuses-captured-delivery',
      ],
      plant: () => ({ verify: () => undefined }),
    },
    {
      mistake: 'compares no time, and reads the first of two',
      cause: 'refuses-stale-timestamp',
      others: ['refuses-future-timestamp', 'refuses-duplicate-headers'],
      plant: () => {
        const verify = createVerify({ isTimely: () => true })
        return {
          verify: (incoming: Incoming) => {
            const { headers, headersDistinct } = incoming.request
            headers['webhook-timestamp'] = headersDistinct['webhook-timestamp']?.[0]
            return verify(incoming)
          },
        }
      },
    },
    {
      mistake: 'refuses only a v1 signature that does not match',
      cause: 'refuses-empty-signature',
      others: ['refuses-other-version'],
      plant: ({ right }) => ({
        verify: (incoming) => {
          const signature = incoming.request.headers['webhook-signature']
          return signature && !signature.includes('v1,') ? undefined : right.verify(incoming)
        },
      }),
    },
    {
      mistake: 'remembers which signatures were valid',
      cause: 'refuses-captured-delivery',
      others: ['refuses-duplicate-headers'],
      plant: (tools) => {
        const valid = new Set<unknown>()
        return {
          ...countEvents(() => ({}))(tools),
          verify: async (incoming) => {
            const signature = incoming.request.headers['webhook-signature']
            const reason = valid.has(signature) ? undefined : await tools.right.verify(incoming)
            if (reason === undefined) valid.add(signature)
            return reason
          },
        }
      },
    },
    {
      mistake: 'verifies only its exact URL, so that any query skips the verification',
      cause: 'refuses-forgery-on-other-routes',
      others: ['refuses-wrong-secret', 'refuses-secret-in-query'],
      plant: (tools) => ({
        ...countEvents(() => ({}))(tools),
        verify: (incoming) =>
          incoming.request.url === '/webhooks' ? tools.right.verify(incoming) : undefined,
      }),
    },
    {
      mistake: 'remembers ids before it verifies',
      cause: 'survives-forged-claim',
      others: ['refuses-again-what-it-refused'],
      plant: ({ right }) => ({
        receive: async (parts, request, response) => {
          if (!(await parts.isDuplicate(String(request.headers['webhook-id']))))
            return right.receive({ ...parts, isDuplicate: () => false }, request, response)
          // A 409 shows the mistake at once; the effect that a 200 would hide must be waited for.
          const body = await parts.read(request)
          parts.respond(response, body.includes('"recap"') ? 409 : 200, 'seen')
        },
      }),
    },
    {
      mistake: 'fails at letters beyond ASCII',
      cause: 'keeps-every-letter',
      others: ['accepts-body-bytes-as-sent', 'handles-unusual-summaries', 'accepts-split-body'],
      plant: ({ effects }) => ({
        handle: (event) => {
          const line = JSON.stringify(event)
          if (/[^ -~]/.test(line)) throw new Error('not ASCII')
          if (!effects.includes(line)) effects.push(line)
        },
      }),
    },
    {
      mistake: 'responds 503 to letters beyond ASCII',
      cause: 'keeps-every-letter',
      others: ['accepts-body-bytes-as-sent', 'accepts-split-body'],
      plant: ({ effects }) => ({
        validate: (event) => (/[^ -~]/.test(JSON.stringify(event)) ? 'not ASCII' : undefined),
        handle: (event) => void effects.push(JSON.stringify(event)),
        respond: (response, status, text) => {
          const headers = { connection: 'close', 'retry-after': '0' }
          response.writeHead(status === 422 ? 503 : status, headers).end(text)
        },
      }),
    },
    {
      mistake: 'handles one event of each call',
      cause: 'handles-what-it-accepts',
      others: ['survives-out-of-order'],
      plant: ({ effects }) => {
        const seen = new Set<unknown>()
        return {
          handle: (event) => {
            if (seen.size < seen.add(event.callId ?? event.groupId).size) effects.push(JSON.stringify(event))
          },
        }
      },
    },
    {
      mistake: 'loses what arrives while its database is busy',
      cause: 'handles-what-it-accepts',
      others: ['handles-each-participant', 'survives-out-of-order', 'survives-burst', 'survives-wrong-types'],
      plant: loseWhileBusy,
    },
    {
      mistake: 'loses some events, whatever they are',
      cause: 'handles-what-it-accepts',
      others: ['handles-every-kind-of-call', 'handles-unusual-summaries'],
      plant: loseSome,
    },
    {
      mistake: 'loses most of a burst',
      cause: 'survives-burst',
      others: ['survives-wrong-types'],
      plant: loseWhileBusy,
    },
    {
      mistake: 'reads the record of a call or a group, changes it, and writes it back',
      cause: 'handles-each-participant',
      others: ['survives-out-of-order'],
      plant: ({ effects }) => {
        const records: Record<string, readonly unknown[]> = {}
        // The control sends no participants. If its first effect took long, each check would wait three times as long for effects.
        let isSlow = false
        return {
          handle: async (event) => {
            const subject = String(event.callId ?? event.groupId)
            const record = records[subject] ?? []
            isSlow ||= event.event === 'GROUP_PARTICIPANT_JOINED'
            if (isSlow) await takeTurns()
            records[subject] = [...record, event]
            const all = Object.entries(records).map(([id, events]) => `${id} ${JSON.stringify(events)}`)
            effects.splice(0, effects.length, ...all)
          },
        }
      },
    },
    {
      mistake: 'lets a late CALL_ENDED undo the summary',
      cause: 'keeps-summary-after-late-event',
      others: ['survives-out-of-order'],
      plant: ({ effects, right }) => ({
        handle: async (event, id) => {
          // The summary is handled first, whatever arrives first.
          if (event.event !== 'CALL_AI_SUMMARY') await takeTurns()
          const summary = effects.indexOf(`CALL_AI_SUMMARY ${event.callId}`)
          if (event.event === 'CALL_ENDED' && summary !== -1) effects.splice(summary, 1)
          await right.handle(event, id)
        },
      }),
    },
    {
      mistake: 'copies 31 characters of an id before it verifies',
      cause: 'handles-ids-that-begin-alike',
      others: ['accepts-any-webhook-id'],
      plant: () => ({
        verify: createVerify({ content: (id, timestamp) => `${id.slice(0, 31)}.${timestamp}.` }),
      }),
    },
    {
      mistake: 'stores 50 characters of a callId',
      cause: 'handles-unusual-ids',
      others: ['handles-ids-that-begin-alike'],
      plant: ({ right }) => ({
        handle: ({ callId, ...event }, id) =>
          right.handle(
            { ...event, ...(callId !== undefined && { callId: String(callId).slice(0, 50) }) },
            id,
          ),
      }),
    },
    {
      mistake: 'verifies what the parser has made of the body',
      cause: 'refuses-signature-of-parsed-body',
      others: ['accepts-body-bytes-as-sent', 'keeps-every-letter'],
      plant: ({ effects }) => ({
        verify: createVerify({ body: (bytes) => JSON.stringify(JSON.parse(bytes.toString())) }),
        handle: (event) => {
          const line = JSON.stringify(event)
          if (!effects.includes(line)) effects.push(line)
        },
      }),
    },
  ])('an endpoint that $mistake has one mistake', async ({ cause, others, plant }) => {
    await using endpoint = await startEndpoint(plant)
    const { checks } = await examineUndisturbed(() => examine(endpoint, { only: [cause, ...others] }))
    const failed = checks.filter(({ verdict }) => verdict === 'fail')
    expect(failed.map(({ id }) => id).sort()).toEqual([cause, ...others].sort())
    expect(failed.map(({ id, because }) => because ?? id)).toEqual(failed.map(() => cause))
  })

  test.each<{
    mistakes: string
    roots: string[]
    others?: string[]
    plant: (tools: Tools) => Partial<Parts>
  }>([
    {
      mistakes: 'verifies nothing, and refuses some letters',
      roots: ['accepts-body-bytes-as-sent', 'refuses-wrong-secret'],
      others: ['refuses-signature-of-parsed-body'],
      plant: () => ({
        verify: () => undefined,
        validate: (event) => (JSON.stringify(event).includes('你好') ? 'strange letters' : undefined),
      }),
    },
    ...['', 'v1,'].map((signature) => ({
      mistakes: `verifies nothing, and stops at the signature "${signature}"`,
      roots: ['refuses-empty-signature', 'refuses-wrong-secret'],
      plant: (): Partial<Parts> => {
        let isDown = false
        return {
          verify: () => undefined,
          first: (request) => {
            isDown ||= request.headers['webhook-signature'] === signature
            if (isDown) request.destroy()
            return isDown
          },
        }
      },
    })),
    {
      mistakes: 'compares with an empty signature, and ignores the version',
      roots: ['refuses-empty-signature', 'refuses-other-version'],
      plant: () => ({
        verify: createVerify({
          split: (text) => text.split(' ').map((part) => part.split(',').at(-1) ?? ''),
          compare: (given, expected) => given === '' || given === expected,
        }),
      }),
    },
    {
      mistakes: 'handles duplicates, and then fails to insert their ids',
      roots: ['acknowledges-duplicate', 'handles-duplicate-once'],
      plant: ({ effects }) => {
        const ids = new Set<string>()
        return {
          isDuplicate: () => false,
          handle: (event, id) => {
            effects.push(`${event.event} ${event.callId ?? event.groupId}`)
            if (ids.size === ids.add(id).size) throw new Error('not unique')
          },
        }
      },
    },
    {
      mistakes: 'verifies no chunked bodies, and compares no time',
      roots: ['refuses-stale-timestamp', 'refuses-wrong-secret'],
      plant: () => {
        const verify = createVerify({ isTimely: () => true })
        return {
          verify: (incoming) =>
            incoming.request.headers['transfer-encoding'] === undefined ? verify(incoming) : undefined,
        }
      },
    },
    {
      mistakes: 'verifies nothing, and compares times with ten minutes',
      roots: ['refuses-stale-timestamp', 'refuses-wrong-secret'],
      plant: () => ({
        verify: ({ request }) =>
          Date.now() / 1_000 - Number(request.headers['webhook-timestamp']) < 600 ? undefined : 'old',
      }),
    },
    {
      mistakes: 'tolerates ten minutes, and any time in the future',
      roots: ['refuses-future-timestamp', 'refuses-stale-timestamp'],
      plant: () => ({
        verify: createVerify({ isTimely: (timestamp) => Date.now() / 1_000 - Number(timestamp) < 600 }),
      }),
    },
    {
      mistakes: 'tolerates ten minutes, and compares the second of two times',
      roots: ['refuses-duplicate-headers', 'refuses-stale-timestamp'],
      plant: () => ({
        verify: createVerify({
          content: (id, timestamp) => `${id}.${timestamp.split(', ')[0]}.`,
          isTimely: (timestamp) => Math.abs(Date.now() / 1_000 - Number(timestamp.split(', ').at(-1))) < 600,
        }),
      }),
    },
    {
      mistakes: 'accepts texts without a signature, and a secret in the query',
      roots: ['refuses-secret-in-query', 'refuses-unsigned'],
      plant: ({ right }) => ({
        verify: (incoming) => {
          const { headers, url = '' } = incoming.request
          const isOpen = headers['content-type'] === 'text/plain' || url.includes('secret=whsec_')
          return isOpen ? undefined : right.verify(incoming)
        },
      }),
    },
    {
      mistakes: 'strips markup, and fails at letters in the ids of groups',
      roots: ['handles-unusual-group-ids', 'keeps-every-letter'],
      plant: ({ effects }) => ({
        handle: (event) => {
          if (/[^ -~]/.test(String(event.groupId))) throw new Error('not ASCII')
          const line = JSON.stringify(event).replace(/<[^>]*>/g, '')
          if (!effects.includes(line)) effects.push(line)
        },
      }),
    },
    {
      mistakes: 'stores letters as question marks, and refuses them in the ids of groups',
      roots: ['handles-unusual-group-ids', 'keeps-every-letter'],
      plant: ({ effects }) => ({
        validate: ({ groupId }) => (/[^ -~]/.test(String(groupId)) ? 'not ASCII' : undefined),
        handle: (event) => {
          const line = JSON.stringify(event).replace(/[^ -~]/g, '?')
          if (!effects.includes(line)) effects.push(line)
        },
      }),
    },
    {
      mistakes: 'also accepts a signature of the parsed body, and refuses letters',
      roots: ['accepts-body-bytes-as-sent', 'keeps-every-letter', 'refuses-signature-of-parsed-body'],
      plant: ({ effects, right }) => {
        const verify = createVerify({ body: (bytes) => JSON.stringify(JSON.parse(bytes.toString())) })
        return {
          verify: async (incoming) => (await right.verify(incoming)) && verify(incoming),
          validate: (event) => (/[^ -~]/.test(JSON.stringify(event)) ? 'not ASCII' : undefined),
          handle: (event) => {
            const line = JSON.stringify(event)
            if (!effects.includes(line)) effects.push(line)
          },
        }
      },
    },
    {
      mistakes: 'remembers a hundred ids, and none of groups',
      roots: ['handles-duplicate-once', 'handles-late-duplicate-once'],
      plant: ({ effects }) => {
        const seen: string[] = []
        return {
          isDuplicate: () => false,
          handle: (event, id) => {
            const isGroup = event.groupId !== undefined
            if (!isGroup && seen.includes(id)) return
            if (!isGroup && seen.push(id) > 100) seen.shift()
            effects.push(`${event.event} ${event.callId ?? event.groupId}`)
          },
        }
      },
    },
  ])('an endpoint that $mistakes has a finding for each', async ({ roots, others = [], plant }) => {
    const { checks } = await examineUndisturbed(async () => {
      await using endpoint = await startEndpoint(plant)
      return await examine(endpoint, { only: [...roots, ...others] })
    })
    const failed = checks.filter(({ verdict }) => verdict === 'fail')
    expect(failed.map(({ id }) => id).sort()).toEqual([...roots, ...others].sort())
    expect(failed.flatMap(({ id, because }) => (because === undefined ? [id] : [])).sort()).toEqual(roots)
  })

  test('advice on a URL without encryption follows from no failure', async () => {
    await using endpoint = await startEndpoint(() => ({ verify: () => undefined, isDuplicate: () => false }))
    const url = endpoint.url.replace('127.0.0.1', 'app.localhost')
    const only = ['refuses-wrong-token', 'keeps-token-encrypted']
    const { checks } = await examine(
      { ...endpoint, url: `${url}?token=7D1f2c9ab04e5f60` },
      { only, secret: undefined, previousSecret: undefined },
    )
    expect(checks.slice(1).map(({ id, verdict, because }) => [id, verdict, because])).toEqual([
      ['refuses-wrong-token', 'fail', undefined],
      ['keeps-token-encrypted', 'advice', undefined],
    ])
  })

  test('an endpoint that fails at bodies alone, and refuses forgeries, is told which', async () => {
    await using endpoint = await startEndpoint(({ right }) => ({
      respond: (response, status, text) => right.respond(response, status === 400 ? 500 : status, text),
    }))
    const { checks } = await examine(endpoint, {
      only: ['refuses-malformed-json', 'refuses-without-failing'],
    })
    expect(checks.map(({ id, verdict, because }) => [id, verdict, because])).toEqual([
      ['accepts-genuine', 'pass', undefined],
      ['refuses-malformed-json', 'fail', undefined],
      ['refuses-without-failing', 'pass', undefined],
    ])
  })

  test('an endpoint that fails at some forgeries, and at bodies, is told both', async () => {
    await using endpoint = await startEndpoint(() => ({
      verify: createVerify({
        compare: (given, expected) => {
          if (given.length !== expected.length) throw new RangeError('lengths')
          return given === expected
        },
      }),
      parse: (body) => JSON.parse(body.toString()),
    }))
    const { checks } = await examine(endpoint, {
      only: ['refuses-truncated-signature', 'refuses-malformed-json', 'refuses-without-failing'],
    })
    const failed = checks.filter(({ verdict }) => verdict === 'fail')
    expect(failed.map(({ id, because }) => [id, because])).toEqual([
      ['refuses-malformed-json', undefined],
      ['refuses-without-failing', undefined],
    ])
  })

  test('an endpoint that verifies nothing, and fails at what it cannot read, is told both in one finding', async () => {
    await using endpoint = await startEndpoint(() => ({
      verify: ({ request }) => {
        if (request.headers['content-type'] !== 'application/json') throw new TypeError('no body')
        return undefined
      },
    }))
    const only = ['refuses-unsigned', 'refuses-wrong-secret', 'refuses-without-failing']
    const report = await examine(endpoint, { only })
    expect(report.checks.map(({ id, verdict, because }) => [id, verdict, because])).toEqual([
      ['accepts-genuine', 'pass', undefined],
      ['refuses-unsigned', 'fail', 'refuses-wrong-secret'],
      ['refuses-wrong-secret', 'fail', undefined],
      ['refuses-without-failing', 'pass', undefined],
    ])
    expect(find(report, 'refuses-unsigned').observed).toMatch(
      /^200 to no webhook-signature, .*; 500 to the type text\/plain, .*, no type$/,
    )
  })

  test('an endpoint that responds 503 to each event of one form is not said to limit the rate', async () => {
    await using endpoint = await startEndpoint(({ effects }) => ({
      validate: (event) => (/'|null/.test(JSON.stringify(event)) ? 'not stored' : undefined),
      handle: (event) => void effects.push(JSON.stringify(event)),
      respond: (response, status, text) =>
        void response.writeHead(status === 422 ? 503 : status, { connection: 'close' }).end(text),
    }))
    const only = ['accepts-unresolved-group', 'survives-wrong-types']
    const report = await examine(endpoint, { only })
    expect(find(report, 'accepts-unresolved-group')).toMatchObject({
      verdict: 'fail',
      observed:
        '503 to groupId null, groupName null, inviteLink null, each time it is sent, while other events are accepted',
      fix: expect.stringContaining('503 is right only for what may succeed later'),
    })
    expect(find(report, 'survives-wrong-types')).toMatchObject({
      verdict: 'fail',
      observed: '503 to summary: null, each time it is sent, while other events are accepted',
    })
  })

  test('an endpoint that fails at names that it does not know is told so once', async () => {
    await using endpoint = await startEndpoint(() => ({
      validate: ({ event }) => {
        if (!/^(?:GROUP_(?:CREATED|PART)|CALL_(?!TRANS))/.test(String(event))) throw new Error('no handler')
        return undefined
      },
    }))
    const report = await examine(endpoint, { only: ['accepts-unknown-event', 'survives-wrong-types'] })
    expect(find(report, 'accepts-unknown-event')).toMatchObject({ verdict: 'fail' })
    expect(find(report, 'survives-wrong-types')).toMatchObject({
      verdict: 'fail',
      observed: '500 to event: {}',
      because: 'accepts-unknown-event',
    })
  })

  test('an endpoint that loses events is not said to take one of two ids for the other', async () => {
    let isLossy = false
    await using endpoint = await startEndpoint(({ right }) => ({
      // Keeps the first of several values.
      verify: createVerify({ content: (id, timestamp) => `${id.split(', ')[0]}.${timestamp}.` }),
      isDuplicate: () => false,
      handle: (event, id) => {
        if (!isLossy || id.includes(', ')) return right.handle(event, id)
      },
    }))
    const report = await examine(endpoint, {
      only: ['refuses-duplicate-headers'],
      onResult: () => {
        isLossy = true
      },
    })
    expect(find(report, 'refuses-duplicate-headers')).toMatchObject({
      verdict: 'inconclusive',
      observed: expect.stringContaining('the delivery had no effect before'),
    })
  })

  test('an endpoint that keeps the latest participant of a group is told so', async () => {
    await using endpoint = await startEndpoint(({ effects }) => ({
      handle: (event) => {
        const line = `${event.callId ?? event.groupId} `
        const index = effects.findIndex((each) => each.startsWith(line))
        effects.splice(index < 0 ? effects.length : index, 1, `${line}${event.event} ${event.customerPhone}`)
      },
    }))
    const only = ['handles-each-participant']
    const report = await examineUndisturbed(() => examine(endpoint, { only }))
    expect(find(report, 'handles-each-participant')).toMatchObject({
      verdict: 'fail',
      observed: 'the second participant of a group replaced the first',
      fix: expect.stringContaining('a record of each participant'),
    })
  })

  test('an endpoint that drops the participants of groups that it does not know is told so', async () => {
    await using endpoint = await startEndpoint(({ effects }) => {
      const groups = new Set<unknown>()
      return {
        handle: ({ event, callId, groupId, customerPhone }) => {
          if (event === 'GROUP_CREATED') groups.add(groupId)
          if (customerPhone === undefined || groups.has(groupId)) {
            effects.push([event, callId ?? groupId, customerPhone].join(' '))
          }
        },
      }
    })
    const only = ['handles-each-participant']
    const report = await examineUndisturbed(() => examine(endpoint, { only }))
    expect(find(report, 'handles-each-participant')).toMatchObject({
      verdict: 'fail',
      observed: expect.stringContaining('one whose GROUP_CREATED arrived before had one'),
    })
  })

  test('an endpoint that does not use participants is not told that it drops them', async () => {
    await using endpoint = await startEndpoint(({ right }) => ({
      handle: (event, id) => {
        if (event.customerPhone === undefined) return right.handle(event, id)
      },
    }))
    const only = ['handles-each-participant']
    const report = await examineUndisturbed(() => examine(endpoint, { only }))
    expect(find(report, 'handles-each-participant')).toMatchObject({ verdict: 'skipped' })
  })

  test('an endpoint that writes full batches only is not said to need ids of another form', async () => {
    await using endpoint = await startEndpoint(({ effects }) => {
      const batch: string[] = []
      return {
        handle: ({ event, callId, groupId }) => {
          batch.push(`${event} ${callId ?? groupId}`)
          if (batch.length === 10) effects.push(...batch.splice(0))
        },
      }
    })
    const only = ['accepts-genuine', 'handles-duplicate-once']
    const report = await examine(endpoint, { only, limits: { firstEffectMs: 300 } })
    expect(find(report, 'accepts-genuine')).toMatchObject({ verdict: 'pass' })
    expect(find(report, 'handles-duplicate-once')).toMatchObject({
      verdict: 'inconclusive',
      observed: expect.stringContaining('once a batch is full'),
    })
  })

  describe('an endpoint whose effects are one line of JSON', () => {
    const startWithEvents = async (print: (events: readonly object[]) => string) => {
      const events: object[] = []
      const endpoint = await startEndpoint(() => ({ handle: (event) => void events.push(event) }))
      return { endpoint, effects: () => print(events) }
    }
    const id = 'survives-concurrent-deliveries'

    test('is judged by the elements, if it is an array', async () => {
      const { endpoint, effects } = await startWithEvents((events) => JSON.stringify(events))
      await using _ = endpoint
      const only = [id, 'keeps-every-letter']
      const report = await examineUndisturbed(() => examine(endpoint, { only, effects }))
      for (const each of only) expect(find(report, each)).toMatchObject({ verdict: 'pass' })
    })

    test('is asked for a line per effect, if it is something else', async () => {
      const { endpoint, effects } = await startWithEvents((events) => JSON.stringify({ events }))
      await using _ = endpoint
      const only = [id, 'keeps-every-letter']
      const report = await examineUndisturbed(() => examine(endpoint, { only, effects }))
      expect(find(report, id)).toMatchObject({ verdict: 'pass' })
      expect(find(report, 'keeps-every-letter')).toMatchObject({
        verdict: 'inconclusive',
        observed: expect.stringContaining('print one effect per line'),
      })
    })
  })

  test('an endpoint whose two workers take the same job is told so, not that it has no deduplication', async () => {
    await using endpoint = await startEndpoint(({ effects }) => {
      const jobs = new Set<string>()
      const work = async () => {
        for (const job of jobs) {
          await sleep(1)
          effects.push(job)
          jobs.delete(job)
        }
      }
      return {
        handle: (event) => {
          jobs.add(`${event.event} ${event.callId ?? event.groupId}`)
          for (const _ of ['one worker', 'the other']) void work()
        },
      }
    })
    const repeats = ['handles-duplicate-once', 'handles-replay-once', 'handles-late-duplicate-once']
    // A busy machine may take longer than the tests' own limit.
    const limits = { effectMs: 5_000 }
    const examineOnly = (...only: string[]) => examineUndisturbed(() => examine(endpoint, { only, limits }))
    const report = await examineOnly('handles-what-it-accepts', ...repeats)
    expect(find(report, 'handles-what-it-accepts')).toMatchObject({
      verdict: 'fail',
      observed: expect.stringContaining('30 of 30 deliveries that were sent once had up to'),
      fix: expect.stringContaining('SKIP LOCKED'),
    })
    for (const id of repeats) {
      expect(find(report, id)).toMatchObject({ verdict: 'fail', because: 'handles-what-it-accepts' })
    }
    const alone = await examineOnly('handles-duplicate-once')
    expect(find(alone, 'handles-duplicate-once')).toMatchObject({
      observed: expect.stringContaining('1 of 1 deliveries that were sent once had up to'),
    })
  })

  test('an endpoint that loses events by chance is not told that it is for what they are', async () => {
    await using endpoint = await startEndpoint(loseSome)
    const only = ['handles-every-kind-of-call']
    const report = await examineUndisturbed(() => examine(endpoint, { only }))
    expect(find(report, 'handles-every-kind-of-call')).toMatchObject({
      verdict: 'fail',
      observed: expect.stringMatching(/; sent again, (\d) of \1 had an effect: .* lost now and then$/),
    })
  })

  test('an endpoint that takes the callId for the id of a delivery is told which to use', async () => {
    await using endpoint = await startEndpoint(({ right }) => {
      const seen = new Set<unknown>()
      return {
        handle: (event, id) => {
          if (seen.size < seen.add(event.callId ?? id).size) void right.handle(event, id)
        },
      }
    })
    const report = await examine(endpoint, { only: ['handles-what-it-accepts'] })
    expect(find(report, 'handles-what-it-accepts')).toMatchObject({
      verdict: 'fail',
      observed: expect.stringContaining("after the call's earlier events"),
      fix: expect.stringContaining('by webhook-id, not by callId'),
    })
  })

  test('advice that follows from other advice names it', async () => {
    await using endpoint = await startEndpoint(({ right }) => ({
      respond: (response, _status, text) => right.respond(response, 200, text),
    }))
    const only = ['refuses-unsigned', 'refuses-wrong-secret', 'refuses-swapped-id']
    const { checks } = await examine(endpoint, { only })
    expect(checks.slice(1).map(({ verdict, because }) => [verdict, because])).toEqual([
      ['advice', 'refuses-wrong-secret'],
      ['advice', undefined],
      ['advice', 'refuses-wrong-secret'],
    ])
  })

  test('an endpoint that fails at forgeries, and handles none, has one mistake', async () => {
    await using endpoint = await startEndpoint(({ right }) => ({
      respond: (response, status, text) => right.respond(response, status === 401 ? 500 : status, text),
    }))
    const forged = [
      'refuses-unsigned',
      'refuses-wrong-secret',
      'refuses-swapped-id',
      'refuses-stale-timestamp',
    ]
    const report = await examine(endpoint, { only: [...forged, 'refuses-without-failing'] })
    expect(listFindings(report).fail).toEqual(['refuses-without-failing'])
    expect(find(report, 'refuses-unsigned')).toMatchObject({
      verdict: 'pass',
      observed: expect.stringMatching(/^500 .*; none was handled; see refuses-without-failing$/),
    })
    const { checks } = await examine(endpoint, { only: ['refuses-unsigned'], effects: undefined })
    expect(checks[1]).toMatchObject({
      verdict: 'inconclusive',
      observed: expect.stringContaining('--effects'),
    })
  })

  test('an endpoint that fails at forgeries after handling them is not excused', async () => {
    await using endpoint = await startEndpoint(({ right }) => ({
      verify: async (incoming) => {
        const reason = await right.verify(incoming)
        if (reason !== undefined) await right.handle(JSON.parse(incoming.body.toString()), 'forged')
        return reason
      },
      respond: (response, status, text) => right.respond(response, status === 401 ? 500 : status, text),
    }))
    const report = await examine(endpoint, { only: ['refuses-wrong-secret'] })
    expect(find(report, 'refuses-wrong-secret')).toMatchObject({ verdict: 'fail', severity: 'critical' })
  })

  test('what follows from a failure names it, and is explained once', async () => {
    await using endpoint = await startEndpoint(() => ({ verify: () => undefined }))
    const report = await examine(endpoint, {
      only: ['refuses-unsigned', 'refuses-wrong-secret', 'refuses-swapped-id'],
    })
    expect(report.checks.map(({ id, because }) => [id, because])).toEqual([
      ['accepts-genuine', undefined],
      ['refuses-unsigned', 'refuses-wrong-secret'],
      ['refuses-wrong-secret', undefined],
      ['refuses-swapped-id', 'refuses-wrong-secret'],
    ])
    const pretty = formatReport(report, 'pretty')
    expect(pretty.match(/expected/g)).toHaveLength(1)
    expect(pretty.replace(/\s+/g, ' ')).toContain(
      'These follow from it: refuses-unsigned, refuses-swapped-id',
    )
    expect(JSON.parse(formatReport(report, 'sarif')).runs[0].results).toHaveLength(1)
    expect(formatReport(report, 'markdown').match(/^### /gm)).toHaveLength(1)
    expect(formatReport(report, 'junit').match(/message="see refuses-wrong-secret: /g)).toHaveLength(2)
  })
})

test('a large body that is accepted is a failure even if it makes the effects unreadable', async () => {
  await using endpoint = await startEndpoint(({ effects }) => ({
    read: async (request) => Buffer.concat(await request.toArray()),
    handle: (event) => void effects.push(JSON.stringify(event)),
  }))
  const effects = () => {
    const text = endpoint.effects.join('\n')
    if (text.length > 1_000_000) throw new Error('too long')
    return text
  }
  const report = await examine(endpoint, { only: ['refuses-oversized-body'], effects })
  expect(find(report, 'refuses-oversized-body')).toMatchObject({
    verdict: 'fail',
    observed: expect.stringMatching(/^200 to 1 MiB; then .*too long/),
  })
})

test('an endpoint that fails on each other route makes no mistake, if its effects show that nothing was handled there', async () => {
  await using endpoint = await startEndpoint(() => ({
    first: (request, response) => {
      if (request.method === 'POST' && request.url === '/webhooks') return false
      request.resume()
      response.writeHead(502).end()
      return true
    },
  }))
  const id = 'refuses-forgery-on-other-routes'
  const report = await examine(endpoint, { only: [id, 'refuses-without-failing'] })
  expect(find(report, id)).toMatchObject({
    verdict: 'pass',
    observed: expect.stringMatching(/^502 to a PUT, a PATCH, .*; none was handled$/),
  })
  expect(find(report, 'refuses-without-failing').verdict).toBe('pass')
  expect(find(await examine(endpoint, { only: [id], effects: undefined }), id)).toMatchObject({
    verdict: 'inconclusive',
    observed: expect.stringContaining('--effects'),
  })
})

test('a firewall that stops a burst proves nothing', async () => {
  let active = 0
  await using endpoint = await startEndpoint(({ right }) => ({
    first: (request, response) => {
      active += 1
      response.on('close', () => {
        active -= 1
      })
      if (active < 10) return undefined
      request.resume()
      response.writeHead(403, { server: 'cloudflare', 'content-type': 'text/html' }).end('<h1>Blocked</h1>')
      return true
    },
    verify: async (incoming) => {
      await new Promise((resolve) => setTimeout(resolve, 200))
      return right.verify(incoming)
    },
  }))
  const report = await examine(endpoint, { only: ['survives-burst'] })
  expect(find(report, 'survives-burst')).toMatchObject({
    verdict: 'inconclusive',
    observed: expect.stringContaining('a firewall has answered instead'),
  })
})

describe.concurrent('an observation', () => {
  test.each<{ what: string; id: string; plant: (tools: Tools) => Partial<Parts>; risk: RegExp; fix: RegExp }>(
    [
      {
        what: 'of a recap in the effects of another call',
        id: 'survives-concurrent-deliveries',
        plant: ({ effects }) => {
          let latest: unknown
          return {
            handle: async ({ callId, summary }) => {
              latest = summary
              await takeTurns()
              effects.push(`${callId} ${JSON.stringify(latest)}`)
            },
          }
        },
        risk: /^A customer's words are filed under another customer/,
        fix: /variables of its own/,
      },
      {
        what: 'of events that are lost when they arrive at once',
        id: 'handles-what-it-accepts',
        plant: loseWhileBusy,
        risk: /^The sender does not repeat an accepted delivery[^.]*\.$/,
        fix: /^Only what arrived at the same time was lost.*requests share/,
      },
      {
        what: 'of ids whose letters differ in case alone',
        id: 'handles-what-it-accepts',
        plant: ({ right }) => ({ isDuplicate: (id) => right.isDuplicate(id.toLowerCase()) }),
        risk: /^The sender does not repeat an accepted delivery[^.]*\.$/,
        fix: /^Compare and store ids/,
      },
      {
        what: 'of a time without its offset',
        id: 'handles-unusual-summaries',
        plant: ({ effects }) => ({
          handle: ({ callId, callStartedAt }) => {
            effects.push(`${callId} ${String(callStartedAt).replace('+05:30', 'Z')}`)
          },
        }),
        risk: /^A time, a duration or a recap is stored as another one/,
        fix: /with their offset/,
      },
      {
        what: 'of a text with $$',
        id: 'keeps-values',
        plant: ({ effects }) => ({
          handle: (event) => void effects.push(JSON.stringify(event).replaceAll('$$', '$')),
        }),
        risk: /^A name or a text is stored, or sent on, as another one\.$/,
        fix: /Escape what is special/,
      },
      {
        what: 'of a burst of which a half is lost',
        id: 'survives-burst',
        plant: ({ right }) => {
          let count = 0
          return {
            handle: (event, id) => {
              count += 1
              if (count < 15 || count % 2 === 0) return right.handle(event, id)
            },
          }
        },
        risk: /an event that is lost after a 2xx is lost for good\.$/,
        fix: /Keep no event in a variable that requests share/,
      },
      {
        what: 'of a recap that late events have removed',
        id: 'keeps-summary-after-late-event',
        plant: ({ effects }) => ({
          handle: ({ callId, summary }) => {
            const others = effects.filter((line) => !line.startsWith(`${callId} `))
            effects.splice(0, effects.length, ...others, `${callId} ${JSON.stringify(summary ?? null)}`)
          },
        }),
        risk: /makes the summary disappear\.$/,
        fix: /update only the fields in the event\.$/,
      },
      {
        what: 'of malformed bodies that are acknowledged and not handled',
        id: 'refuses-malformed-json',
        plant: ({ right }) => ({
          parse: (body) => {
            try {
              return right.parse(body)
            } catch {
              return { event: 'unreadable' }
            }
          },
          handle: (event, id) => {
            if (event.event !== 'unreadable') return right.handle(event, id)
          },
        }),
        risk: /^The sender takes the body for handled/,
        fix: /^Respond 400, or report what is set aside\.$/,
      },
      {
        what: 'of a large body in chunks',
        id: 'refuses-oversized-body',
        plant: ({ right }) => ({
          read: async (request) =>
            request.headers['content-length'] === undefined
              ? Buffer.concat(await request.toArray())
              : right.read(request),
        }),
        risk: /huge bodies/,
        fix: /states no length/,
      },
    ],
  )('$what comes with its own risk and remedy', async ({ id, plant, risk, fix }) => {
    await using endpoint = await startEndpoint(plant)
    const report = await examine(endpoint, { only: [id] })
    expect(find(report, id)).toMatchObject({
      verdict: expect.stringMatching(/^(?:fail|advice)$/),
      risk: expect.stringMatching(risk),
      fix: expect.stringMatching(fix),
    })
  })

  test('of a changed recap shows what became of it, however far behind it stands', async () => {
    await using endpoint = await startEndpoint(({ effects }) => ({
      handle: ({ callId, summary }) => {
        const latin1 = Buffer.from(JSON.stringify(summary ?? null)).toString('latin1')
        effects.push(`{"callId":"${callId}","padding":"${'x'.repeat(300)}","summary":${latin1}}`)
      },
    }))
    const { checks } = await examine(endpoint, { only: ['keeps-every-letter'] })
    expect(checks.at(-1)?.observed).toMatch(/^"Grüße, .*" became "GrÃ¼[^"]*"$/)
  })

  test('of many kinds of calls says what they share', async () => {
    await using endpoint = await startEndpoint(({ right }) => ({
      handle: (event, id) => {
        if (event.channel !== 'WHATSAPP') void right.handle(event, id)
      },
    }))
    const { checks } = await examine(endpoint, { only: ['handles-every-kind-of-call'] })
    const first = 'WHATSAPP INCOMING AI_BOT INBOUND without agentNumber'
    expect(checks.at(-1)?.observed).toMatch(
      RegExp(
        `^accepted, but not handled: 12 kinds, all of them WHATSAPP, such as ${first}(?:, WHATSAPP [^,]+){2}$`,
      ),
    )
  })

  test('of numbers without a plus sign names their fields', async () => {
    await using endpoint = await startEndpoint(({ effects }) => ({
      handle: ({ event, callId, groupId, to }) => {
        const line = `${event} ${callId ?? groupId} ${String(to).replace('+', '')}`
        if (!effects.includes(line)) effects.push(line)
      },
    }))
    const { checks } = await examine(endpoint, { only: ['keeps-values'], effectsAreComplete: true })
    expect(checks.at(-1)).toMatchObject({
      verdict: 'advice',
      observed: expect.stringMatching(
        /^kept, but the effects show to\/customerNumber without a plus sign, such as "\+1202\d+" of CALL_\w+$/,
      ),
    })
  })

  test('of a second attempt says that it was not handled again', async () => {
    await using endpoint = await startEndpoint(({ right }) => ({
      // Keeps the first of several values.
      verify: createVerify({ content: (id, timestamp) => `${id.split(', ')[0]}.${timestamp}.` }),
      isDuplicate: (id) => right.isDuplicate(id.split(', ')[0] ?? ''),
    }))
    const only = ['refuses-duplicate-headers']
    const report = await examine(endpoint, { only })
    expect(find(report, 'refuses-duplicate-headers')).toMatchObject({
      verdict: 'pass',
      observed: '200 to a second id after the correct one, but none was handled again',
    })
    // A status does not show which of the two ids the endpoint remembers.
    const blind = await examine(endpoint, { only, effects: undefined })
    expect(find(blind, 'refuses-duplicate-headers')).toMatchObject({
      verdict: 'inconclusive',
      observed: expect.stringContaining('--effects'),
    })
  })
})

test('a page of a firewall is no refusal of GET', async () => {
  await using endpoint = await startEndpoint(() => ({
    first: (request, response) => {
      if (request.method !== 'GET') return undefined
      response.writeHead(403, { server: 'cloudflare', 'content-type': 'text/html' }).end('<h1>Blocked</h1>')
      return true
    },
  }))
  expect(find(await examine(endpoint, { only: ['refuses-get'] }), 'refuses-get').verdict).toBe('inconclusive')
})
