import type { CheckResult, Report } from '@wabakit/conformance'
import { formatReport } from '@wabakit/conformance'
import { describe, expect, test, vi } from 'vitest'
import { startEndpoint, type Tools } from './endpoint.ts'
import { examine, examineUndisturbed } from './examine.ts'

vi.setConfig({ testTimeout: 600_000 })

const find = (report: Report, id: string): CheckResult | undefined =>
  report.checks.find((check) => check.id === id)

type Entry = { readonly event: Record<string, unknown>; readonly id: string }

/** Stores events, and handles one after another. Stops at one that is malformed, for so long or forever. */
const handleLater = (
  { right }: Tools,
  { pauseMs = 0, stopsForMs }: { pauseMs?: number; stopsForMs?: number },
) => {
  const inbox: Entry[] = []
  let isRunning = false
  const work = async () => {
    if (isRunning) return
    isRunning = true
    for (let entry = inbox.shift(); entry !== undefined; entry = inbox.shift()) {
      await new Promise((resolve) => setTimeout(resolve, pauseMs))
      if (entry.event.summary !== null) await right.handle(entry.event, entry.id)
      else if (stopsForMs === undefined) return
      else await new Promise((resolve) => setTimeout(resolve, stopsForMs).unref())
    }
    isRunning = false
  }
  return {
    handle: (event: Record<string, unknown>, id: string) => {
      inbox.push({ event, id })
      void work()
    },
  }
}

describe.concurrent('a worker', () => {
  test('that one event has stopped is reported once, with what follows from it', async () => {
    const report = await examineUndisturbed(async () => {
      await using endpoint = await startEndpoint((tools) => handleLater(tools, {}))
      const only = [
        'handles-what-it-accepts',
        'refuses-malformed-json',
        'refuses-again-what-it-refused',
        'survives-wrong-types',
        'remembers-for-a-minute',
        'handles-nothing-it-refuses',
        'recovers-after-attacks',
      ]
      return await examine(endpoint, { only })
    })
    const failed = report.checks.filter(({ verdict }) => verdict === 'fail')
    expect(failed).toEqual([
      expect.objectContaining({
        id: 'survives-wrong-types',
        severity: 'high',
        title: 'Goes on handling events, whatever it has accepted before',
        observed: expect.stringMatching(
          /^none of 4 usual events .* had an effect, although earlier ones had it within \d+ s; .* is of refuses-again-what-it-refused and survives-wrong-types$/,
        ),
        fix: expect.stringMatching(/^Catch the errors of each event in the worker/),
      }),
    ])
    for (const id of ['remembers-for-a-minute', 'handles-nothing-it-refuses']) {
      expect(find(report, id)).toMatchObject({
        verdict: 'inconclusive',
        observed: 'no event has had an effect since survives-wrong-types',
      })
    }
  })

  test.each([
    ['waits for a good while before it goes on', { stopsForMs: 6_000 }],
    ['takes a second for each event', { pauseMs: 1_000, stopsForMs: 0 }],
  ])('that %s is not blamed', async (_, options) => {
    await using endpoint = await startEndpoint((tools) => handleLater(tools, options))
    const only = ['refuses-again-what-it-refused', 'survives-wrong-types', 'recovers-after-attacks']
    const report = await examine(endpoint, { only, limits: { retryMs: 20_000, firstEffectMs: 60_000 } })
    expect(report.checks.filter(({ verdict }) => verdict === 'fail')).toEqual([])
  })
})

describe.concurrent('an endpoint that responds no more', () => {
  test('because each duplicate keeps a connection is told so, once', async () => {
    const only = ['handles-what-it-accepts', 'handles-concurrent-duplicates-once', 'recovers-after-attacks']
    const report = await examineUndisturbed(async () => {
      await using endpoint = await startEndpoint(({ right }) => {
        let free = 6
        return {
          isDuplicate: async (id) => {
            if (free === 0) await new Promise(() => {})
            free -= 1
            const isDuplicate = await right.isDuplicate(id)
            if (!isDuplicate) free += 1
            return isDuplicate
          },
        }
      })
      return await examine(endpoint, { only, limits: { responseMs: 2_000 } })
    })
    const failed = report.checks.filter(({ verdict }) => verdict === 'fail')
    expect(failed).toMatchObject([
      {
        id: 'handles-concurrent-duplicates-once',
        title: 'Releases what a delivery has used, also after a duplicate or an error',
        observed: expect.stringMatching(
          /no genuine delivery gets a response, although GET still gets 405; before, \d+ deliveries and 6 duplicates of them got a 2xx, and 0 requests a 5xx$/,
        ),
        risk: expect.stringMatching(/keeps a connection, a lock or a file/),
        fix: expect.stringMatching(/^Release connections/),
      },
      { id: 'recovers-after-attacks', because: 'handles-concurrent-duplicates-once' },
    ])
    expect(formatReport(report, 'pretty').match(/expected/g)).toHaveLength(1)
  })
})
