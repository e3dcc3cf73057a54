import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { eventNames } from '@wabakit/contract'
import { describe, expect, test, vi } from 'vitest'
import { requireCommand } from '../../server/test/programs.ts'
import { previousSecret, secret } from './endpoint.ts'
import { examine, examineUndisturbed, listFindings } from './examine.ts'

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

/** Examines the Python endpoint with a mistake, by all checks or only these. */
export const examinePython = (flaw: string, only?: readonly string[]) =>
  examineUndisturbed(async () => {
    using endpoint = await startPython(flaw)
    return await examine(
      { url: endpoint.url, effects: [], [Symbol.asyncDispose]: async () => {} },
      { effects: endpoint.effectsUrl, timeoutMs: undefined, limits: getLimits(flaw), only },
    )
  })

/** Checks that look at what other checks sent. */
const needsOthers =
  /^(?:handles-nothing-it-refuses|keeps-secrets-out-of-answers|keeps-stacks-out-of-answers)$/

/** Whether there is a Python to test with. */
const hasPython = requireCommand('python3', '--version')

/** Describes tests of the Python endpoint, which run six at a time. */
export const describePython = (title: string, define: () => void): void => {
  vi.setConfig({ maxConcurrency: 6, testTimeout: 1_200_000 })
  describe.skipIf(!hasPython).concurrent(title, define)
}

/** Examines the Python endpoint in each of these styles, and expects no failed check. */
export const testCorrectPython = (styles: readonly string[]): void => {
  test.each(styles)('that is correct passes: "%s"', async (style) => {
    const report = await examinePython(style)
    expect(listFindings(report).fail).toEqual([])
    expect(report.verdict).toBe('pass')
  })
}

/** Examines the Python endpoint with each of these mistakes, and expects the check that detects it to fail. */
export const testPythonFlaws = (flaws: Readonly<Record<string, string>>): void => {
  test.each(Object.entries(flaws))('with the mistake "%s" fails %s', async (flaw, id) => {
    const report = await examinePython(flaw, needsOthers.test(id) ? undefined : [id])
    expect(listFindings(report).fail).toContain(id)
    expect(report.verdict).toBe('fail')
  })
}
