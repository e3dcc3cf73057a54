import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { describe, expect, test, vi } from 'vitest'
import { requireCommand } from '../../server/test/programs.ts'
import { previousSecret, secret } from './endpoint.ts'
import { examine, examineUndisturbed, listFindings } from './examine.ts'

vi.setConfig({ maxConcurrency: 6, testTimeout: 1_200_000 })

/** Starts the Python endpoint, with or without a mistake. */
const startPython = async (flaw: string) => {
  const script = `${import.meta.dirname}/python/endpoint.py`
  const child = spawn('python3', [script, flaw, secret, previousSecret], {
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

/** Examines the Python endpoint with a mistake, by all checks or only these. */
const examinePython = (flaw: string, only?: readonly string[]) =>
  examineUndisturbed(async () => {
    using endpoint = await startPython(flaw)
    return await examine(
      { url: endpoint.url, effects: [], [Symbol.asyncDispose]: async () => {} },
      { effects: endpoint.effectsUrl, timeoutMs: undefined, limits: getLimits(flaw), only },
    )
  })

/** Mistakes for which the language or its server matters, and the checks that detect them. */
const flaws: Readonly<Record<string, string>> = {
  'last header': 'refuses-duplicate-headers',
  'lower-case names': 'refuses-forgery-in-any-header-case',
  'one thread': 'survives-slow-body',
  'slow effects twice': 'handles-duplicate-once',
  traceback: 'keeps-stacks-out-of-answers',
}

describe.skipIf(!requireCommand('python3', '--version')).concurrent('an endpoint in Python', () => {
  test('that is correct passes', async () => {
    const report = await examinePython('')
    expect(listFindings(report).fail).toEqual([])
    expect(report.verdict).toBe('pass')
  })

  test.each(Object.entries(flaws))('with the mistake "%s" fails %s', async (flaw, id) => {
    // Some checks look at what another one sent.
    const report = await examinePython(flaw, ['refuses-malformed-json', id])
    expect(listFindings(report).fail).toContain(id)
    expect(report.verdict).toBe('fail')
  })
})
