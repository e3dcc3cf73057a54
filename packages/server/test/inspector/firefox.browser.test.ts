import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { createMock } from '@wabakit/mock'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { hasFirefox, launchFirefox } from '../../../../tools/matrix/firefox.ts'
import { createGroup, start } from '../fixture.ts'

// CI installs Firefox, so there its absence is a failure.
const isSkipped = !hasFirefox && !process.env.CI
let firefox: Awaited<ReturnType<typeof launchFirefox>>

beforeAll(async () => {
  if (!isSkipped) firefox = await launchFirefox()
})
afterAll(() => firefox?.close())

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
