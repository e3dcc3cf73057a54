import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { createMock } from '@wabakit/mock'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { bundle as bundleSuite } from '../../packages/core/test/runtimes/bundle.ts'
import { createGroup, start } from '../../packages/server/test/fixture.ts'
import { bundle } from './bundle.ts'
import { hasFirefox, launchFirefox } from './firefox.ts'
import { startService } from './service.ts'

// CI installs Firefox, so there its absence is a failure.
const isSkipped = !hasFirefox && !process.env.CI
let firefox: Awaited<ReturnType<typeof launchFirefox>>

beforeAll(async () => {
  if (!isSkipped) firefox = await launchFirefox()
})
afterAll(() => firefox?.close())

/** Opens a page with a script, on a loopback origin. Only there, a page without https has `crypto.subtle`. */
const openScript = async (script: string): Promise<void> => {
  const server = createServer(({ url }, response) => {
    const [type, content] =
      url === '/script.js'
        ? ['text/javascript', script]
        : ['text/html', '<!doctype html><script type="module" src="/script.js"></script>']
    response.writeHead(200, { 'content-type': `${type}; charset=utf-8` }).end(content)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.close()
    server.closeAllConnections()
  })
  const address = server.address()
  await firefox.open(`http://localhost:${typeof address === 'object' ? address?.port : ''}/`)
}

test.skipIf(isSkipped)('client, receiver and mock pass their checks in Firefox', async () => {
  const service = await startService()
  onTestFinished(() => void service.close())
  const { url, refusedUrl } = service
  const environment = JSON.stringify({ url, refusedUrl, codes: false, browser: true })
  await openScript(
    await bundle(
      `import { checkAll } from './checks/all.ts'
      globalThis.check = () => checkAll(${environment})`,
      import.meta.dirname,
      true,
    ),
  )
  expect(await firefox.evaluate('check()')).toContain('waits for a summary')
})

test.skipIf(isSkipped)('everything of the core passes in Firefox', async () => {
  await openScript(await bundleSuite('page.ts'))
  const outcome = await firefox.evaluate('runEverything()')
  expect(outcome).toEqual({ passed: expect.any(Number), failures: [] })
  expect(Object(outcome).passed).toBeGreaterThan(250)
})

test.skipIf(isSkipped)(
  'the inspector shows a group in Firefox, and another one as it is created',
  async () => {
    const { url } = await start()
    await createGroup(url, { subject: 'Before the page' })
    await firefox.open(`${url}/_wabakit/inspector/groups`)
    const waitFor = (text: string) =>
      expect.poll(() => firefox.evaluate('document.body.innerText')).toContain(text)
    await waitFor('Before the page')
    await waitFor('Live')
    await createGroup(url, { subject: 'While it is open' })
    await waitFor('While it is open')
  },
)

test.skipIf(isSkipped)('the page of a mock and the trace of its test open in Firefox', async () => {
  const mock = await createMock({ port: 0 })
  onTestFinished(mock.close)
  await mock.simulateCall({ summary: { after: '30s' } })
  const waitFor = (text: string) =>
    expect.poll(() => firefox.evaluate('document.body.innerText')).toContain(text)
  await firefox.open(`${mock.url}/_wabakit/inspector/mock`)
  await waitFor('simulateCall({"summary":{"after":"30s"}})')
  await waitFor('Move the clock there')

  const folder = mkdtempSync(join(tmpdir(), 'wabakit-trace-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  await mock.saveTrace(join(folder, 'trace.html'))
  await firefox.open(pathToFileURL(join(folder, 'trace.html')).href)
  await waitFor('simulateCall({"summary":{"after":"30s"}})')
  await waitFor('the summary of call_')
  expect(await firefox.evaluate('document.body.innerText')).not.toContain('Move the clock there')
})
