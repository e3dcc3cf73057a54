import { createServer } from 'node:http'
import { createMock } from '@wabakit/mock'
import { expect, onTestFinished, test, vi } from 'vitest'
import { listenOnFreePort } from '../../test/listen-on-free-port.ts'
import { runProgram } from './program.ts'

test('what a foreign server sends as a text forges no line', async () => {
  const mock = await createMock({ webhookUrl: 'http://127.0.0.1:9/webhooks' })
  onTestFinished(() => mock.close())
  const injected = '1\nFORGED'
  const failure = {
    cause: injected,
    text: injected,
    remedy: injected,
    attempts: 1,
    response: injected,
  }
  const forge = (name: string, value: unknown): unknown => {
    if (name === 'failures') return [failure]
    return typeof value === 'string' ? `${value}${injected}` : value
  }
  const server = createServer(async (request, response) => {
    const answer = await mock.fetch(new Request(`${mock.url}${request.url}`))
    response.end(JSON.stringify(JSON.parse(await answer.text(), forge)))
  })
  const url = await listenOnFreePort(server)
  const write = vi.spyOn(process.stdout, 'write').mockReturnValue(true)
  onTestFinished(() => write.mockRestore())

  await runProgram(['overview', '--server', url, '--organization', mock.organizationId])

  const text = write.mock.calls.map(([chunk]) => String(chunk)).join('')
  expect(text).toContain('\\u000aFORGED')
  expect(text.split('\n').filter((line) => line.startsWith('FORGED'))).toEqual([])
})
