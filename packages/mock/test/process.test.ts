import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'

const run = async (code: string): Promise<string> => {
  const { stdout } = await promisify(execFile)(
    'node',
    ['--conditions=@wabakit/source', '--input-type=module', '--eval', code],
    { cwd: import.meta.dirname, timeout: 100_000 },
  )
  return stdout.trim()
}

test('a process exits on its own after close', async () => {
  const output = await run(`
    import { createMock } from '@wabakit/mock'
    for (const options of [{}, { port: 0 }, { clock: 'machine' }]) {
      const mock = await createMock(options)
      const { groupId } = await mock.client().groups.create({ wabaNumber: mock.wabaNumber, subject: 'x' })
      await mock.waitForDelivery('GROUP_CREATED', { groupId })
      await mock.simulateCall({ summary: { after: '1h' } })
      mock.waitForEvent('CALL_AI_SUMMARY', {}, { timeoutMs: 600_000 }).catch(() => {})
      await mock.close()
      await mock.close()
    }
    console.log('closed')
  `)
  expect(output).toBe('closed')
})

test('in process, the mock does not keep the process alive, even without close, and loads node:http only to listen on a port', async () => {
  const output = await run(`
    import { registerHooks } from 'node:module'
    const loaded = new Set()
    registerHooks({ resolve: (name, context, next) => next(loaded.add(name) && name, context) })
    const { createMock } = await import('@wabakit/mock')
    const mock = await createMock()
    mock.faults.deliveries.drop('*')
    await mock.simulateCall({ summary: { after: '1h' } })
    const before = ['node:http', 'msw', 'msw/node'].filter((name) => loaded.has(name))
    const onPort = await createMock({ port: 0 })
    await onPort.close()
    console.log(before.length, loaded.has('node:http'), loaded.has('msw'))
  `)
  expect(output).toBe('0 true false')
})
