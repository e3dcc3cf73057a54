import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test, vi } from 'vitest'
import {
  createVerify,
  header,
  type Parts,
  previousSecret,
  secret,
  sign,
  startEndpoint,
  type Tools,
  toKey,
} from './endpoint.ts'
import { examine as examineEndpoint, examineUndisturbed } from './examine.ts'

vi.setConfig({ maxConcurrency: 6, testTimeout: 1_200_000 })

type Options = NonNullable<Parameters<typeof examineEndpoint>[1]> & { readonly query?: string }

/** Examines an endpoint with one mistake by these checks, and returns their results. */
const examineAll = async (
  only: readonly string[],
  plant: (tools: Tools) => Partial<Parts>,
  { query = '', ...options }: Options = {},
) => {
  const { checks } = await examineUndisturbed(async () => {
    await using endpoint = await startEndpoint(plant)
    return await examineEndpoint({ ...endpoint, url: endpoint.url + query }, { only, ...options })
  })
  return checks
}

/** Examines an endpoint with one mistake by one check, and returns its result. */
const examine = async (
  id: string,
  plant: (tools: Tools) => Partial<Parts>,
  others: readonly string[] = [],
) => {
  const check = (await examineAll([id, ...others], plant)).find((each) => each.id === id)
  if (check === undefined) throw new Error(`no check ${id}`)
  return check
}

/** Returns what each failure follows from, by the id of its check: itself, or another one. */
const listCauses = (checks: Awaited<ReturnType<typeof examineAll>>) =>
  Object.fromEntries(
    checks.flatMap(({ id, verdict, because = id }) => (verdict === 'fail' ? [[id, because]] : [])),
  )

/** Handles one event at a time, and responds 503 to what arrives meanwhile. If it claims first, it takes its retry for a duplicate. */
const refuseWhileBusy =
  ({ claimsFirst, turns = 20 }: { claimsFirst: boolean; turns?: number }) =>
  ({ effects, right }: Tools): Partial<Parts> => {
    const seen = new Set<string>()
    let isBusy = false
    return {
      receive: async (parts, request, response) => {
        const id = header(request, 'webhook-id')
        const body = await parts.read(request)
        if ((await right.verify({ request, body })) !== undefined)
          return parts.respond(response, 401, 'forged')
        if (seen.has(id)) return parts.respond(response, 200, 'a duplicate')
        if (claimsFirst) seen.add(id)
        if (isBusy) return parts.respond(response, 503, 'busy')
        isBusy = true
        // What was sent at once arrives meanwhile.
        for (let turn = 0; turn < turns; turn += 1) await sleep(10)
        isBusy = false
        seen.add(id)
        effects.push(body.toString())
        parts.respond(response, 200, 'ok')
      },
    }
  }

/** Keeps an id of digits as a number, which is rounded. */
const readAsNumber = ({ effects }: Tools): Partial<Parts> => ({
  handle: (event) => {
    const id = String(event.callId ?? event.groupId)
    effects.push(`${event.event} ${/^\d+$/.test(id) ? Number(id) : id} ${event.customerPhone}`)
  },
})

describe.concurrent('a finding says what was seen, and what to do about it', () => {
  test('an id that is stored as another one need not be lost', async () => {
    expect(await examine('handles-unusual-ids', readAsNumber)).toMatchObject({
      verdict: 'fail',
      observed: 'accepted, but no effect shows its callId: a callId of 20 digits',
    })
    expect(await examine('handles-unusual-group-ids', readAsNumber)).toMatchObject({
      verdict: 'fail',
      observed: 'accepted, but no effect shows its groupId: a groupId of digits',
      fix: expect.stringContaining('zeros'),
    })
  })

  test('an age whose days are left out is told which part of it counts', async () => {
    const stale = await examine('refuses-stale-timestamp', () => ({
      verify: createVerify({
        isTimely: (timestamp) => Math.abs(Date.now() / 1_000 - Number(timestamp)) % 86_400 < 300,
      }),
    }))
    expect(stale).toMatchObject({
      verdict: 'fail',
      observed:
        '200 to a time a year ago; 401 to a time an hour ago, a time almost 10 minutes ago, a time 310 seconds ago',
      fix: expect.stringContaining('days'),
    })
  })

  test('a genuine delivery that is refused as a forgery beside another one is said to be', async () => {
    const concurrent = await examine('survives-concurrent-deliveries', () => {
      let body = Buffer.alloc(0)
      return {
        read: async (request) => {
          body = Buffer.alloc(0)
          for await (const chunk of request) body = Buffer.concat([body, chunk])
          return body
        },
      }
    })
    expect(concurrent).toMatchObject({
      verdict: 'fail',
      risk: expect.stringContaining('refused as a forgery'),
      fix: expect.stringContaining('hash'),
    })
  })

  test('a body that arrives in parts is not blamed on another one that arrives with it', async () => {
    const readFirstPart: Parts['read'] = async (request) => {
      for await (const chunk of request.iterator({ destroyOnReturn: false })) return chunk
      return Buffer.alloc(0)
    }
    const concurrent = await examine('survives-concurrent-deliveries', () => ({ read: readFirstPart }), [
      'accepts-split-body',
    ])
    expect(concurrent).toMatchObject({ verdict: 'fail', because: 'accepts-split-body' })
  })

  test('a genuine delivery that gets the response to a forgery is not called a duplicate', async () => {
    const claimed = await examine('survives-forged-claim', ({ right }) => {
      const refused = new Set<string>()
      return {
        verify: async (incoming) => {
          const id = String(incoming.request.headers['webhook-id'])
          const reason = refused.has(id) ? 'as before' : await right.verify(incoming)
          if (reason !== undefined) refused.add(id)
          return reason
        },
      }
    })
    expect(claimed).toMatchObject({
      verdict: 'fail',
      observed: '401 to the forgery, and the same to the genuine delivery',
      risk: expect.not.stringContaining('duplicates'),
      fix: expect.stringContaining('response'),
    })
  })

  test.each<{ kind: string; ids: readonly string[]; cause: string; options: Options }>([
    {
      kind: 'credentials',
      ids: ['refuses-missing-credentials', 'refuses-wrong-credentials', 'refuses-credentials-elsewhere'],
      cause: 'refuses-missing-credentials-on-other-routes',
      options: { secret: undefined, previousSecret: undefined, headers: { 'x-key': 'Abcdef1234567890' } },
    },
    {
      kind: 'the token',
      ids: ['refuses-missing-token', 'refuses-wrong-token', 'refuses-missing-token-from-nearby'],
      cause: 'refuses-missing-token-on-other-routes',
      options: { secret: undefined, previousSecret: undefined, query: '?token=7D1f2c9ab04e5f60' },
    },
  ])('a query that skips the comparison of $kind is one finding', async ({ ids, cause, options }) => {
    const only = [...ids, cause]
    const skips = await examineAll(
      only,
      () => ({
        verify: ({ request }) =>
          request.url?.includes('?') || header(request, 'x-key') === 'Abcdef1234567890'
            ? undefined
            : 'stranger',
        isDuplicate: () => false,
      }),
      options,
    )
    const causes = listCauses(skips)
    expect(causes).toMatchObject({ [cause]: cause })
    expect(Object.keys(causes).length).toBeGreaterThan(1)
    expect(new Set(Object.values(causes))).toEqual(new Set([cause]))
    const nothing = listCauses(
      await examineAll(only, () => ({ verify: () => undefined, isDuplicate: () => false }), options),
    )
    const first = ids.find((id) => id.includes('wrong')) ?? ''
    expect(new Set(Object.values(nothing))).toEqual(new Set([first]))
  })

  test('each secret that is compared with one signature alone is one finding', async () => {
    const paired = await examineAll(
      ['accepts-either-secret-in-rotation', 'accepts-multiple-signatures'],
      () => ({
        verify: ({ request, body }) => {
          const given = header(request, 'webhook-signature').split(' ')
          const head = `${header(request, 'webhook-id')}.${header(request, 'webhook-timestamp')}.`
          const isRight = [secret, previousSecret].some(
            (each, index) => given[index] === `v1,${sign(toKey(each), head, body)}`,
          )
          return isRight ? undefined : 'no matching signature'
        },
      }),
    )
    expect(listCauses(paired)).toEqual({
      'accepts-either-secret-in-rotation': 'accepts-multiple-signatures',
      'accepts-multiple-signatures': 'accepts-multiple-signatures',
    })
  })

  test('a list that ends where the other one does is named', async () => {
    const cut = await examine('keeps-long-texts', ({ effects }) => ({
      handle: (event) => {
        const { recap, keyPoints = [], nextSteps = [] } = { ...Object(event.summary) }
        const pairs = Object(keyPoints).slice(0, nextSteps.length)
        effects.push(JSON.stringify({ ...event, summary: { recap, pairs, nextSteps } }))
      },
    }))
    expect(cut).toMatchObject({
      verdict: 'fail',
      observed: 'the effects show each of 20 key points beside 20 next steps, but not beside 2',
    })
  })

  test('a 503 to what arrives at once is no limit of the rate if it is accepted later', async () => {
    const only = ['survives-concurrent-deliveries', 'survives-out-of-order']
    const patient = await examineAll(only, refuseWhileBusy({ claimsFirst: false }))
    expect(patient.filter(({ verdict }) => verdict !== 'pass')).toEqual([])
    const late = ['handles-late-duplicate-once']
    const quick = await examineAll(late, refuseWhileBusy({ claimsFirst: false, turns: 3 }))
    expect(quick.filter(({ verdict }) => verdict !== 'pass')).toEqual([])
    const forgetful = await examineAll([...only, 'survives-burst'], refuseWhileBusy({ claimsFirst: true }))
    expect(new Set(Object.values(listCauses(forgetful)))).toEqual(new Set(['survives-burst']))
    expect(forgetful.map(({ observed }) => observed).join()).not.toContain('rate')
  })

  test('a recap that a late event erases is named with the event', async () => {
    const erased = await examine('keeps-summary-after-late-event', ({ effects }) => {
      const lines = new Map<unknown, number>()
      return {
        handle: ({ callId, groupId, summary }) => {
          const id = callId ?? groupId
          const line = lines.get(id) ?? effects.length
          lines.set(id, line)
          effects[line] = JSON.stringify({ id, summary })
        },
      }
    })
    expect(erased).toMatchObject({
      verdict: 'fail',
      observed: 'the effects of a call no longer show its recap after a late CALL_ENDED',
    })
  })

  test('effects that have one line of a call leave nothing to do about identical events', async () => {
    const plant = ({ effects }: Tools): Partial<Parts> => ({
      handle: ({ callId, groupId }) => {
        const id = String(callId ?? groupId)
        if (!effects.includes(id)) effects.push(id)
      },
    })
    expect(await examine('handles-identical-events', plant)).toMatchObject({ verdict: 'skipped' })
    expect(await examine('handles-identical-events', () => ({}))).toMatchObject({
      verdict: 'inconclusive',
      observed: expect.stringContaining('although CALL_ENDED did'),
    })
  })

  test('effects that have two lines of a summary are not two effects', async () => {
    const repeats = ['handles-duplicate-once', 'handles-replay-once', 'handles-late-duplicate-once']
    const showTwice = ({ effects }: Tools): Partial<Parts> => ({
      handle: ({ event, callId, groupId }) => {
        effects.push(`${callId ?? groupId} ${event}`)
        if (event === 'CALL_AI_SUMMARY') effects.push(`${callId} 42 s`)
      },
    })
    const right = await examineAll(['handles-what-it-accepts', ...repeats], showTwice)
    expect(listCauses(right)).toEqual({})
    const repeating = (tools: Tools) => ({ ...showTwice(tools), isDuplicate: () => false })
    const wrong = (await examineAll(repeats, repeating)).find(({ id }) => id === 'handles-duplicate-once')
    expect(wrong?.observed).toBe('3 attempts of one delivery had 3 effects')
  })

  test('what is lost only beside another delivery is said to be', async () => {
    const lost = await examine('handles-what-it-accepts', ({ effects }) => {
      let isLocked = false
      return {
        handle: async (event) => {
          if (isLocked) return
          isLocked = true
          for (let turn = 0; turn < 20; turn += 1) await sleep(10)
          isLocked = false
          effects.push(JSON.stringify(event))
        },
      }
    })
    expect(lost).toMatchObject({
      verdict: 'fail',
      fix: expect.stringMatching(/^Only what arrived at the same time was lost\. .*SQLITE_BUSY/),
    })
  })

  test('a comparison of as many characters as were given is one finding', async () => {
    const ids = ['refuses-truncated-signature', 'refuses-empty-signature']
    const shortened = await examineAll(ids, () => ({
      verify: createVerify({ compare: (given, expected) => expected.startsWith(given) }),
    }))
    const [cause = ''] = ids
    expect(listCauses(shortened)).toEqual(Object.fromEntries(ids.map((id) => [id, cause])))
  })

  test('a 411 to a body without a length is advice, and hides no mistake of what has one', async () => {
    const demandLength = ({ right }: Tools, read = right.read): Partial<Parts> => ({
      first: ({ headers }, response) => {
        if (headers['content-length'] !== undefined) return false
        right.respond(response, 411, 'no length')
        return true
      },
      read,
    })
    const observed = '411 to a body in ASCII without Content-Length, a body that is split within a character'
    const fix = expect.not.stringContaining('Buffer')
    expect(await examine('accepts-split-body', demandLength)).toMatchObject({
      verdict: 'advice',
      observed,
      fix,
    })
    const joinTexts = async (request: AsyncIterable<Buffer>): Promise<Buffer> => {
      let text = ''
      for await (const chunk of request) text += chunk
      return Buffer.from(text)
    }
    expect(await examine('accepts-split-body', (tools) => demandLength(tools, joinTexts))).toMatchObject({
      verdict: 'fail',
      fix: expect.stringContaining('Buffer.concat'),
    })
  })
})
