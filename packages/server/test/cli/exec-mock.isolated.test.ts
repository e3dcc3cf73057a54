import { writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, test } from 'vitest'
import { requireCommand } from '../programs.ts'
import { folder, startWabakit, wabakit, wabakitHere } from './wabakit.ts'

test.skipIf(!requireCommand('python3', '--version')).each(['reference', 'live'])(
  'exec --mock runs the suite of another language against the mock, with the profile %s',
  async (profile) => {
    const cwd = resolve(import.meta.dirname, '../../../../examples/testing-python')
    const flags = ['exec', '--mock', '--profile', profile]
    const { code, stderr } = await wabakit([...flags, '--', 'python3', '-m', 'unittest'], {
      cwd,
      env: { PYTHONDONTWRITEBYTECODE: '1' },
    })
    expect({ code, stderr }).toEqual({ code: 0, stderr: expect.stringMatching(/Ran 6 tests/) })
  },
)

test('exec prints what it started, and a mock repeats its seed', async () => {
  const script =
    "console.log([process.env.WABAKIT_SEED, process.env.WABAKIT_PROFILE, process.env.WABAKIT_API_KEY].join(' '))"
  const run = (...flags: string[]) => wabakit(['exec', ...flags, '--', process.execPath, '-e', script])
  const refuse = (...flags: string[]) => wabakitHere(['exec', ...flags, '--', 'true'])
  const live = ['--mock', '--profile', 'live', '--seed', '42']
  const [first, second, server, wrong] = await Promise.all([
    ...[run(...live), run(...live), run()],
    refuse('--profile', 'live'),
  ])
  expect(first?.stderr).toMatch(/^wabakit mock http:\/\/127\.0\.0\.1:\d+ {2}profile live {2}seed 42 /)
  expect(first?.stdout).toMatch(/^42 live wk_mock_\w+\n$/)
  expect(second?.stdout).toBe(first?.stdout)
  expect(server?.stderr).toMatch(/^wabakit server http:\/\/127\.0\.0\.1:\d+ {2}database /)
  expect(wrong).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('can only be live with --sandbox (or exec --mock)'),
  })
})

test('exec --mock refuses the settings of a server that it would ignore', async () => {
  const ignored = [
    '--control-token',
    'a-token-of-16-characters',
    '--database',
    'own.db',
    '--rate-limit-per-key',
    '1',
  ]
  const { code, stderr } = await wabakitHere(['exec', '--mock', '--sandbox', ...ignored, '--', 'true'])
  expect(code).toBe(2)
  expect(stderr).toContain('--database, --control-token, --rate-limit-per-key, --sandbox')
  expect(stderr).not.toContain('a-token-of-16')
})

test('exec takes flags and the configuration, also what its mock imitates', async () => {
  writeFileSync(join(folder, 'live.json'), JSON.stringify({ live: { pstnCalling: false } }))
  const script = `fetch(process.env.WABAKIT_BASE_URL + '/v1/call/ai-summary?callId=c', {
    headers: { authorization: process.env.WABAKIT_API_KEY, 'x-public-api-key': process.env.WABAKIT_API_KEY },
  }).then(({ status }) => console.log(status))`
  const run = (...flags: string[]) => wabakit(['exec', ...flags, '--', process.execPath, '-e', script])
  const live = ['--mock', '--profile', 'live']
  const [byDefault, configured, file] = await Promise.all([
    run(...live),
    run(...live, '--config', 'live.json'),
    run('--database', 'own.db', '--log-level', 'info', '--log-format', 'json'),
  ])
  expect([byDefault.stdout, configured.stdout]).toEqual(['404\n', '403\n'])
  expect(file.stderr).toMatch(/^wabakit server http:\S+ {2}database \S*own\.db$/m)
  expect(file.stderr).toContain('"msg":"listening"')
})

test('serve --sandbox prints its profile and its seed', async () => {
  const flags = ['--port', '0', '--database', ':memory:', '--log-level', 'error']
  const server = startWabakit(['serve', ...flags, '--sandbox', '--profile', 'live', '--seed', '42'])
  expect(await server.line(/sandbox/)).toMatch(/sandbox +profile live, seed 42$/)
  server.kill('SIGTERM')
  expect(await server.ended).toBe(0)
})
