import { execFile } from 'node:child_process'
import { resolve } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'

test('the node:test example passes', async () => {
  const cwd = resolve(import.meta.dirname, '../../../examples/testing-node-test')
  const options = ['--conditions=@wabakit/source', '--test', '--test-reporter=tap', 'order.test.ts']
  const { stdout } = await promisify(execFile)('node', options, { cwd })
  expect(stdout).toMatch(/^# pass 3$/m)
  expect(stdout).toMatch(/^# fail 0$/m)
})
