import { join } from 'node:path'
import { beforeAll, expect, onTestFinished, test } from 'vitest'
import {
  canReplaceNameServer,
  startSilentNameServer,
} from '../../../webhooks/test/names/silent-name-server.ts'
import { startServer } from '../../src/index.ts'
import { requireProgram } from '../programs.ts'
import { command, folder } from './wabakit.ts'

const database = join(folder, 'wabakit.db')
beforeAll(async () => {
  await (await startServer({ port: 0, database, logLevel: 'silent' })).close()
})

test.skipIf(!requireProgram('unshare that may mount', canReplaceNameServer())).concurrent.each([
  ['ready', ['ready', '--server', 'http://silent.test'], 3],
  ['ready --wait', ['ready', '--wait', '1', '--server', 'http://silent.test'], 3],
  ['the control API', ['org', 'list', '--server', 'http://silent.test'], 3],
  ['a live stream', ['events', 'tail', '--server', 'http://silent.test', '--organization', 'acme'], 3],
  ['a server', ['serve', '--port', '0', '--database', 'postgres://user@silent.test/db'], 3],
  ['a migration', ['migrate-database', '--from', database, '--to', 'postgres://user@silent.test/db'], 3],
  ['an inbox', ['inbox', 'list', '--database', 'postgres://user@silent.test/db'], 3],
  [
    'probe',
    ['probe', 'https://silent.test', '--api-key', 'x'.repeat(24), '--profile', join(folder, 'p.json')],
    3,
  ],
  ['doctor', ['doctor', 'https://silent.test/webhooks', '--secret', 'x'.repeat(24)], 3],
])('%s ends, and names DNS, if the name server is silent', async (_, args, code) => {
  const names = await startSilentNameServer()
  onTestFinished(names.close)
  const ended = await names.run([...command, ...args])
  expect(ended).toMatchObject({
    code,
    stderr: expect.stringMatching(/silent\.test could not be resolved \(ETIMEOUT\)/),
  })
  // A thread that looks the name up would keep the process alive for minutes.
  expect(ended.ms).toBeLessThan(100_000)
})
