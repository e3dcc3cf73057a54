import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test, vi } from 'vitest'
import { runProgram } from './program.ts'

test('what a foreign server sends for a figure, a state or a cause forges no line', async () => {
  const injected = '1\nFORGED'
  const figures = {
    state: injected,
    subscription: { url: `http://127.0.0.1/${injected}` },
    totals: { events: injected, delivered: injected, failed: injected, successRate: null },
    latency: { p95Ms: injected },
    backlog: { unfinished: injected, oldestAt: null },
  }
  const server = createServer((request, response) => {
    const overview = { ...figures, failures: [{ attempts: injected, cause: injected, text: injected }] }
    response.end(JSON.stringify(request.url?.includes('/subscriptions') ? { items: [figures] } : overview))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const write = vi.spyOn(process.stdout, 'write').mockReturnValue(true)
  onTestFinished(() => write.mockRestore())

  await runProgram(['overview', '--server', `http://127.0.0.1:${(server.address() as AddressInfo).port}`])

  const text = write.mock.calls.map(([chunk]) => String(chunk)).join('')
  expect(text).toContain('\\u000aFORGED')
  expect(text.split('\n').filter((line) => line.startsWith('FORGED'))).toEqual([])
})
