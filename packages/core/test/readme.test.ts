import * as core from '@wabakit/core'
import { expect, test } from 'vitest'
import { takeBlocks } from '../../../tools/code-blocks.ts'

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
  const snippets = takeBlocks(import.meta.filename, 4).map(({ code }) => code)
  const [make = '', happen = '', observe = '', time = ''] = snippets
  const { server, response } = await run(make, { ...core, request }, ['server', 'response'])
  expect((response as Response).status).toBe(200)

  const { callId } = await run(happen, { server }, ['callId'])
  expect(callId).toMatch(/^call_/)
  await run(observe, { server })

  const organizations = [{ id: 'acme', integrations: [{ wabaNumber: '+15550100001' }] }]
  await run(time, { ...core, organizations })
})
