import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { eventNames } from '@wabakit/contract'
import { describe, expect, test, vi } from 'vitest'
import { requireCommand } from '../../server/test/programs.ts'
import { previousSecret, secret } from './endpoint.ts'
import { examine, examineUndisturbed, listFindings } from './examine.ts'

vi.setConfig({ maxConcurrency: 6, testTimeout: 1_200_000 })

/** Starts the Python endpoint, with or without a mistake. */
const startPython = async (flaw: string) => {
  const script = `${import.meta.dirname}/python/endpoint.py`
  const child = spawn('python3', [script, flaw, secret, previousSecret], {
    env: { ...process.env, EVENTS: eventNames.join() },
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  const port = await new Promise<string>((resolve, reject) => {
    createInterface(child.stdout).once('line', resolve)
    child.once('error', reject).once('exit', () => reject(new Error('python3 ended')))
  })
  return {
    url: `http://127.0.0.1:${port}/webhooks`,
    effectsUrl: `http://127.0.0.1:${port}/effects`,
    [Symbol.dispose]: () => void child.kill('SIGKILL'),
  }
}

/** Returns longer limits for effects that take 300 ms, and more on a busy machine. */
const getLimits = (flaw: string) =>
  flaw.startsWith('slow effects')
    ? { firstEffectMs: 10_000, effectMs: 5_000, settleMs: 600 }
    : { firstEffectMs: 5_000 }

const run = (flaw: string, only?: readonly string[]) =>
  examineUndisturbed(async () => {
    using endpoint = await startPython(flaw)
    return await examine(
      { url: endpoint.url, effects: [], [Symbol.asyncDispose]: async () => {} },
      { effects: endpoint.effectsUrl, timeoutMs: undefined, limits: getLimits(flaw), only },
    )
  })

/** The mistakes and the checks that detect them. */
const flaws: Readonly<Record<string, string>> = {
  'any version': 'refuses-other-version',
  'body alone': 'refuses-partial-signature',
  case: 'refuses-changed-case',
  charset: 'accepts-json-with-charset',
  conflict: 'acknowledges-duplicate',
  'empty secret': 'refuses-empty-secret',
  'extra fields': 'accepts-extra-fields',
  'first signature': 'accepts-multiple-signatures',
  'future only': 'refuses-stale-timestamp',
  get: 'refuses-get',
  'handles first': 'handles-nothing-it-refuses',
  'hundred ids': 'handles-late-duplicate-once',
  'id and time': 'handles-duplicate-once',
  'insists late': 'survives-missing-predecessor',
  'known signatures': 'refuses-captured-delivery',
  'last header': 'refuses-duplicate-headers',
  'late ended deletes': 'keeps-summary-after-late-event',
  'look up first': 'handles-concurrent-duplicates-once',
  'loses some': 'handles-what-it-accepts',
  'lower-case names': 'refuses-forgery-in-any-header-case',
  'no clock': 'refuses-stale-timestamp',
  'no dedupe': 'handles-duplicate-once',
  'no limit': 'refuses-oversized-body',
  'one thread': 'survives-slow-body',
  'parsed body': 'refuses-signature-of-parsed-body',
  'past only': 'refuses-future-timestamp',
  prefix: 'refuses-truncated-signature',
  'prints signature': 'keeps-secrets-out-of-answers',
  redirects: 'does-not-redirect',
  'second request': 'survives-concurrent-deliveries',
  'secret in query': 'refuses-secret-in-query',
  'seven minutes': 'refuses-stale-timestamp',
  'slow effects twice': 'handles-duplicate-once',
  'status row': 'keeps-summary-after-late-event',
  'ten minutes': 'refuses-stale-timestamp',
  traceback: 'keeps-stacks-out-of-answers',
  'unknown event': 'accepts-unknown-event',
}

/** Weaknesses that the specification allows, which result in advice. */
const advised: Readonly<Record<string, string>> = {
  'loose timestamp': 'refuses-malformed-timestamp',
  'parsed timestamp': 'refuses-rewritten-timestamp',
}

/** Checks that look at what other checks sent. */
const needsOthers =
  /^(?:handles-nothing-it-refuses|keeps-secrets-out-of-answers|keeps-stacks-out-of-answers)$/

describe.skipIf(!requireCommand('python3', '--version')).concurrent('an endpoint in Python', () => {
  // Slow effects take longest, so they start first.
  test.each(['slow effects', '', 'keep-alive', 'no content', 'acknowledges all'])(
    'that is correct passes: "%s"',
    async (style) => {
      const report = await run(style)
      expect(listFindings(report).fail).toEqual([])
      expect(report.verdict).toBe('pass')
    },
  )

  test.each(Object.entries(flaws))('with the mistake "%s" fails %s', async (flaw, id) => {
    const report = await run(flaw, needsOthers.test(id) ? undefined : [id])
    expect(listFindings(report).fail).toContain(id)
    expect(report.verdict).toBe('fail')
  })

  test.each(Object.entries(advised))('with the weakness "%s" gets advice from %s', async (flaw, id) => {
    const report = await run(flaw)
    expect(listFindings(report).advice).toContain(id)
    expect(listFindings(report).fail).toEqual([])
  })
})
