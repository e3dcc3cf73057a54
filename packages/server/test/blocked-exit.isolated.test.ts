import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { text } from 'node:stream/consumers'
import { expect, onTestFinished, test } from 'vitest'
import { bundles } from './bundle-processes.ts'
import { temporaryFolder } from './temporary-folder.ts'

test('a stopped server ends although a system call of its threads never returns', async () => {
  const pipe = join(temporaryFolder(), 'pipe')
  execFileSync('mkfifo', [pipe])
  // Opening a pipe that has no writer blocks a thread, as a lookup does if the name server is silent.
  const block = `import { open } from 'node:fs'; process.once('SIGTERM', () => { for (let i = 0; i < 4; i++) open(${JSON.stringify(pipe)}, 'r', () => {}) })`
  const child = spawn(
    process.execPath,
    [
      ...['--import', `data:text/javascript,${encodeURIComponent(block)}`, bundles.command],
      ...['serve', '--port', '0', '--database', ':memory:'],
    ],
    { stdio: ['ignore', 'pipe', 'pipe'] },
  )
  onTestFinished(() => void child.kill('SIGKILL'))
  const log = text(child.stderr)
  await once(createInterface(child.stdout), 'line')
  child.kill('SIGTERM')
  const [, signal] = await once(child, 'exit')
  expect(signal).toBe('SIGKILL')
  expect(await log).toMatch(/stopped.*A system call does not end/s)
})
