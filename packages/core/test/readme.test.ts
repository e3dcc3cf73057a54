import { readFileSync } from 'node:fs'
import * as core from '@wabakit/core'
import { expect, test } from 'vitest'

const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8')
const snippets = [...readme.matchAll(/```ts\n(.*?)```/gs)].map(([, code = '']) => code)

/** Runs a snippet with the names of `scope`, and returns the names that it defines. */
const run = async (
  code: string,
  scope: object,
  defines: readonly string[] = [],
): Promise<Record<string, unknown>> => {
  const body = code.replaceAll(/^import .*$/gm, '')
  const names = Object.keys(scope)
  const source = `return (async () => { ${body}\n return { ${defines.join(', ')} } })()`
  return new Function(...names, source)(...Object.values(scope))
}

const request = new Request('https://api.example.com/whatsapp/wa-group/create', {
  method: 'POST',
  headers: { authorization: 'wk_test_0123456789', 'content-type': 'application/json' },
  body: JSON.stringify({ wabaNumber: '+15550100001', subject: 'Launch' }),
})

test('the snippets of the README run', async () => {
  const [make = '', happen = '', observe = '', time = '', ...others] = snippets
  expect(others).toEqual([])
  const { server, response } = await run(make, { ...core, request }, ['server', 'response'])
  expect((response as Response).status).toBe(200)

  const { callId } = await run(happen, { server }, ['callId'])
  expect(callId).toMatch(/^call_/)
  await run(observe, { server })

  const organizations = [{ id: 'acme', integrations: [{ wabaNumber: '+15550100001' }] }]
  await run(time, { ...core, organizations })
})
