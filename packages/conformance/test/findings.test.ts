import { describe, expect, test, vi } from 'vitest'
import { createVerify, type Parts, startEndpoint, type Tools } from './endpoint.ts'
import { examine as examineEndpoint, examineUndisturbed } from './examine.ts'

vi.setConfig({ maxConcurrency: 6, testTimeout: 1_200_000 })

/** Examines an endpoint with one mistake by one check, and returns its result. */
const examine = async (
  id: string,
  plant: (tools: Tools) => Partial<Parts>,
  others: readonly string[] = [],
) => {
  const report = await examineUndisturbed(async () => {
    await using endpoint = await startEndpoint(plant)
    return await examineEndpoint(endpoint, { only: [id, ...others] })
  })
  const check = report.checks.find((each) => each.id === id)
  if (check === undefined) throw new Error(`no check ${id}`)
  return check
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
})
