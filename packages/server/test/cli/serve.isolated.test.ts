import { spawn } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { findFreePort } from '../free-port.ts'
import { requireCommand } from '../programs.ts'
import { command, folder, startServer, startWabakit, wabakit, wabakitHere } from './wabakit.ts'

test('the first start prints the key and secret, the next one on the same file does not, and SIGTERM exits with 0', async () => {
  const args = ['--database', 'once.db', '--webhook-url', 'http://127.0.0.1:9/webhooks']
  const first = await startServer(args)
  first.kill('SIGTERM')
  expect(await first.ended).toBe(0)
  const second = await startServer(args)
  second.kill('SIGINT')
  expect(await second.ended).toBe(0)

  expect(first.ready).toEqual({
    ready: true,
    url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/),
    database: 'once.db',
    demo: {
      organizationId: 'demo',
      wabaNumber: expect.stringMatching(/^\+\d+$/),
      pstnNumber: expect.stringMatching(/^\+\d+$/),
      apiKey: expect.stringMatching(/^wk_/),
      webhookSecret: expect.stringMatching(/^whsec_/),
    },
  })
  expect(first.lines).toHaveLength(1)
  const { apiKey: _, webhookSecret: __, ...lasting } = first.ready.demo
  expect(second.ready.demo).toEqual(lasting)
})

test('prints the same in human-readable form, with colors only on a terminal', async () => {
  const server = startWabakit([], {
    env: { WABAKIT_PORT: '0', WABAKIT_DATABASE: ':memory:', WABAKIT_LOG_LEVEL: 'silent' },
  })

  expect(await server.line(/^ready/)).toMatch(/^ready http:\/\/127\.0\.0\.1:\d+$/)
  expect(await server.line(/API key/)).toMatch(/^ {2}API key {9}wk_\w+ {2}\(shown this once\)$/)
  server.kill('SIGTERM')
  expect(await server.ended).toBe(0)
})

test('the printed next steps also work with npx', async () => {
  const server = startWabakit(['--port', '0', '--database', ':memory:', '--log-level', 'silent'], {
    env: { npm_command: 'exec' },
  })
  expect(await server.line(/trigger call/)).toMatch(/^ {2}npx @wabakit\/server trigger call --server http/)
  server.kill('SIGTERM')
  await server.ended
  const nowhere = await wabakitHere(['org', 'list', '--server', '127.0.0.1:4190'], {
    env: { npm_command: 'exec' },
  })
  expect(nowhere.stderr).toContain('Start one with: npx @wabakit/server serve --port 4100')
})

// Only Linux has all addresses of 127.0.0.0/8.
test.runIf(process.platform === 'linux')(
  'the printed next steps name a server that is not at the default address',
  async () => {
    const server = startWabakit(['--host', '127.0.0.41', '--database', ':memory:', '--log-level', 'silent'])
    expect(await server.line(/trigger call/)).toContain('--server http://127.0.0.41:4100')
    server.kill('SIGTERM')
    await server.ended
  },
)

test('the reason why a server cannot start is reported in one sentence and by the exit code', async () => {
  const holder = await startServer(['--database', 'held.db'])
  const port = new URL(holder.ready.url).port
  const [badPort, badVariable, takenPort, takenFile, noFolder, noDatabase] = await Promise.all([
    wabakitHere(['serve', '--port', 'eighty']),
    wabakitHere(['serve'], { env: { WABAKIT_ROLE: 'king' } }),
    wabakitHere(['--port', port, '--database', ':memory:', '--log-level', 'silent']),
    wabakitHere(['--port', '0', '--database', 'held.db', '--log-level', 'silent']),
    wabakitHere(['--port', '0', '--database', 'nowhere/x.db', '--log-level', 'silent']),
    wabakitHere([
      '--port',
      '0',
      '--database',
      'postgres://me:s3cret@127.0.0.1:1/shop',
      '--log-level',
      'silent',
    ]),
  ])

  expect(badPort).toEqual({
    code: 2,
    stdout: '',
    stderr:
      'port (--port) must be a whole number from 0 to 65535 that fetch and browsers do not block, such as 4100, not "eighty".\n',
  })
  expect(badVariable).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/^role \(WABAKIT_ROLE\) must be /),
  })
  expect(takenPort).toMatchObject({ code: 2, stderr: expect.stringContaining(`${port} is in use`) })
  expect(takenFile).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/^\S+held\.db is in use by another/),
  })
  // A database may come back, so a supervisor restarts the server.
  expect(noFolder).toMatchObject({ code: 3, stderr: expect.stringMatching(/^Cannot open the database/) })
  expect(noDatabase).toMatchObject({
    code: 3,
    stderr: expect.stringMatching(/^Cannot open the database postgres:\/\/me@127\.0\.0\.1:1\/shop\. .+\n$/),
  })
  expect(takenFile.stderr).not.toContain('    at ')

  holder.kill('SIGTERM')
  expect(await holder.ended).toBe(0)
})

test('a failed start creates no organization, because its key would not be shown', async () => {
  const holder = await startServer()
  const port = new URL(holder.ready.url).port
  const on = ['--database', 'fresh.db', '--log-level', 'silent']
  writeFileSync(
    join(folder, 'organizations.json'),
    JSON.stringify({ organizations: [{ id: 'acme' }, { id: 'umbrella', pstnNumbers: ['nobody'] }] }),
  )
  const badUrl = await wabakitHere([...on, '--port', '0', '--webhook-url', 'http://192.0.2.1/'])
  const badNumber = await wabakitHere([...on, '--port', '0', '--config', 'organizations.json'])
  const takenPort = await wabakitHere([...on, '--port', port])
  const started = await startServer(on)

  expect(badUrl).toEqual({
    code: 2,
    stdout: '',
    stderr: expect.stringMatching(
      /^webhookUrl \(--webhook-url\) is not valid: url: must start with https:.+\n$/,
    ),
  })
  expect(badNumber).toEqual({
    code: 2,
    stdout: '',
    stderr: expect.stringMatching(/^organizations\.1\.pstnNumbers\.0 \(.+\) must be a phone number.+\n$/),
  })
  expect(takenPort).toMatchObject({ code: 2, stderr: expect.stringContaining('is in use') })
  expect(started.ready.demo.apiKey).toMatch(/^wk_/)
  for (const server of [holder, started]) server.kill('SIGTERM')
  expect(await Promise.all([holder.ended, started.ended])).toEqual([0, 0])
})

test('exec runs a command with its own server and returns its exit code', async () => {
  const script = `
    const { WABAKIT_BASE_URL, WABAKIT_API_KEY, WABAKIT_WABA_NUMBER, WABAKIT_PSTN_NUMBER } = process.env
    const response = await fetch(WABAKIT_BASE_URL + '/whatsapp/wa-group/create', {
      method: 'POST',
      headers: { authorization: WABAKIT_API_KEY, 'content-type': 'application/json' },
      body: JSON.stringify({ wabaNumber: WABAKIT_WABA_NUMBER, subject: 'Order 1042' }),
    })
    console.log(response.status, WABAKIT_PSTN_NUMBER, process.argv.slice(1).join(' '))
    process.exit(7)`
  const run = (...args: string[]) => wabakit(['exec', '--', process.execPath, ...args])
  const [done, killed, none] = await Promise.all([
    run('--input-type=module', '-e', script, '--', '--port', 'its own'),
    run('-e', "process.kill(process.pid, 'SIGTERM'); setInterval(() => {}, 1000)"),
    wabakitHere(['exec', '--', 'no-such-command']),
  ])

  expect(done).toMatchObject({ code: 7, stdout: '200 +15550100002 --port its own\n' })
  expect(killed.code).toBe(128 + 15)
  expect(none).toMatchObject({ code: 2, stderr: expect.stringContaining('no-such-command cannot be run') })
})

test.each(['SIGINT', 'SIGHUP'] as const)(
  'exec forwards %s to the command, and exits with it',
  async (signal) => {
    const script = `process.on('${signal}', () => process.exit(9)); console.log('up'); setInterval(() => {}, 1000)`
    const running = startWabakit(['exec', '--', process.execPath, '-e', script])
    await running.line(/^up$/)
    running.kill(signal)

    expect(await running.ended).toBe(9)
  },
)

test.skipIf(!requireCommand('python3', '--version'))(
  'Ctrl-C in a terminal reaches the command of exec once',
  async () => {
    const file = join(folder, 'interrupted.cjs')
    // exec is stopped until the command has got the first SIGINT. Then it forwards what it got, in its order: a second SIGINT would
    // come with the SIGTERM.
    const script = `let times = 0
      process.on('SIGINT', () => {
        times += 1
        for (const signal of ['SIGTERM', 'SIGCONT']) process.kill(process.ppid, signal)
      })
      process.on('SIGTERM', () => setTimeout(() => process.exit(console.log('interrupted ' + times)), 200))
      process.kill(process.ppid, 'SIGSTOP')
      console.log('up')
      setInterval(() => {}, 1000)`
    writeFileSync(file, script)
    const inTerminal = ['-c', 'import pty, sys; pty.spawn(sys.argv[1:])', process.execPath]
    const args = [...inTerminal, ...command, 'exec', '--', process.execPath, file]
    const terminal = spawn('python3', args, { cwd: folder })
    onTestFinished(() => void terminal.kill('SIGKILL'))
    let shown = ''
    for await (const chunk of terminal.stdout) {
      shown += chunk
      if (/^up/m.test(String(chunk))) terminal.stdin.write('\x03')
    }

    expect(shown).toMatch(/interrupted 1\r\n$/)
  },
)

test('ready waits for a server that starts later', async () => {
  const port = `${await findFreePort()}`
  const url = `http://127.0.0.1:${port}`
  const waiting = wabakitHere(['ready', '--wait', '100', '--server', url, '--format', 'json'])
  const server = await startServer(['--port', port])

  expect(await waiting).toMatchObject({ code: 0, stdout: `{"ready":true,"server":"${url}"}\n` })
  server.kill('SIGTERM')
  expect(await server.ended).toBe(0)
})
