import { execFile, execFileSync, spawn, spawnSync } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import type { Command } from 'commander'
import { afterAll, expect, onTestFinished, test } from 'vitest'
import { parse } from 'yaml'
import { distribution } from '../../webhooks/test/installed-postgres.ts'
import { createProgram } from '../src/cli/program.ts'
import { loadConfig } from '../src/config/load-config.ts'
import { settings } from '../src/config/settings.ts'
import { acme, control, start } from './fixture.ts'
import { requireCommand } from './programs.ts'

const root = resolve(import.meta.dirname, '../../..')
const read = (path: string): string => readFileSync(resolve(root, path), 'utf8')

/** The blocks of a page in some languages, without the `$` and the output of a session on a console. */
const readBlocks = (page: string, languages = 'sh|console'): string =>
  [...read(page).matchAll(new RegExp(`^\`\`\`(${languages})\\n(.*?)^\`\`\`$`, 'gms'))]
    .map(([, language, block = '']) =>
      language === 'console' ? (block.match(/(?<=^\$ ).*\n/gm) ?? []).join('') : block,
    )
    .join('\n')

const pages = globSync(['*.md', 'docs/{,internals/}*.md', 'packages/*/README.md', 'examples/*/README.md'], {
  cwd: root,
}).filter((page) => readBlocks(page) !== '')

/** Commands that a test must not run. A script replaces each: it records its arguments, and prints what the blocks read. */
const recorded = [
  ...['wabakit', 'npx', 'npm', 'node', 'git', 'curl', 'openssl', 'sleep', 'python3', 'docker'],
  ...['systemctl', 'systemd-analyze', 'haproxy', 'caddy'],
  ...['pg_dump', 'createdb', 'pg_restore', 'pg_basebackup', 'pg_verifybackup'],
]
const recorder = `#!/bin/sh
{ printf '%s\\0' "\${0##*/}" "$@"; printf '\\n\\0'; } >> "$RECORD"
case "\${0##*/} $1" in
  'wabakit --version') echo 1.2.3 ;;
  'openssl rand') printf '%064d\\n' 7 ;;
  'git clone') mkdir -p wabakit/examples && cp -r "$ROOT/examples/deploy" wabakit/examples ;;
esac
`

const folder = mkdtempSync(join(tmpdir(), 'wabakit-guides-'))
afterAll(() => rmSync(folder, { recursive: true }))
mkdirSync(join(folder, 'bin'))
for (const name of recorded) {
  writeFileSync(join(folder, 'bin', name), recorder)
  chmodSync(join(folder, 'bin', name), 0o755)
}

/** Runs the blocks of a page in one shell, as a reader does. Returns its folder, and the words of each recorded command. */
const runPage = (page: string) => {
  const machine = mkdtempSync(join(folder, 'machine-'))
  for (const path of ['etc/systemd/system', 'opt', 'var/lib/wabakit', 'home/.zfunc', 'backups'])
    mkdirSync(join(machine, path), { recursive: true })
  for (const path of ['.local/share/bash-completion/completions', '.config/fish/completions'])
    mkdirSync(join(machine, 'home', path), { recursive: true })
  for (const name of ['wabakit.db', 'wabakit-2026-01-01T03-00-00Z.db'])
    writeFileSync(join(machine, 'var/lib/wabakit', name), '')
  const script = readBlocks(page).replaceAll(/(?<![\w.])\/(?=(?:etc|opt|var|backups)\/)/g, `${machine}/`)
  const RECORD = join(machine, 'record')
  writeFileSync(RECORD, '')
  execFileSync('bash', ['--norc', '-eu', '-o', 'pipefail', '-c', script], {
    // With a socket as its input, bash would read its settings.
    stdio: ['ignore', 'pipe', 'pipe'],
    cwd: machine,
    env: {
      PATH: `${join(folder, 'bin')}:/usr/bin:/bin`,
      HOME: join(machine, 'home'),
      RECORD,
      ROOT: root,
      // What the reader has.
      KEY: 'a-key',
      WEBHOOK_TOKEN: 'a-token',
      WABAKIT_WEBHOOK_SECRET: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
    },
  })
  const commands = readFileSync(RECORD, 'utf8').split('\n\0').slice(0, -1)
  return { machine, commands: commands.map((words) => words.split('\0').slice(0, -1)) }
}

const parseOnly = (command: Command): void => {
  command.exitOverride().action(() => {})
  for (const inner of command.commands) parseOnly(inner)
}

const parseOurs = async (args: readonly string[]): Promise<void> => {
  if (args[0] === '--version') return
  const program = await createProgram(args)
  for (const command of program.commands) parseOnly(command)
  await program.parseAsync(args, { from: 'user' })
}

const { scripts }: { scripts: object } = JSON.parse(read('package.json'))
const compose: { services: object; secrets: Record<string, { file: string }> } = parse(
  read('examples/deploy/compose.yaml'),
)

const expectFlags = (name: string, args: readonly string[]): void => {
  if (distribution === undefined) return
  const help = spawnSync(join(distribution, name), ['--help'], { encoding: 'utf8' }).stdout
  for (const flag of args.filter((word) => word.startsWith('--'))) expect(help).toContain(`${flag}`)
}

/** Checks of the arguments of each command, such as files that must exist and flags that it must know. */
const checks: Readonly<Record<string, (args: readonly string[]) => unknown>> = {
  wabakit: parseOurs,
  npx: (args) => {
    const [name = '', ...rest] = args.filter((word) => word !== '--yes')
    if (name === 'wabakit' || name === '@wabakit/server') return parseOurs(rest)
    expect(readdirSync(join(root, 'node_modules/.bin'))).toContain(name)
  },
  npm: ([command, script = '']) => {
    if (command === 'run') expect(Object.keys(scripts)).toContain(script)
  },
  curl: (args) => {
    for (const word of args) {
      const [, path] =
        /^https:\/\/raw\.githubusercontent\.com\/wabakit\/wabakit\/v1\.2\.3\/(.*)/.exec(word) ?? []
      if (path !== undefined) expect(existsSync(join(root, path)), path).toBe(true)
    }
  },
  systemctl: (args) => {
    const units = readdirSync(join(root, 'examples/deploy/systemd'))
    for (const word of args.filter((each) => each.startsWith('wabakit'))) {
      const unit = word.includes('.') ? word : `${word}.service`
      // An instance has its own file, or that of its template.
      expect(
        units.some((file) => [unit, unit.replace(/@\w+/, '@')].includes(file)),
        word,
      ).toBe(true)
    }
  },
  docker: ([group, command, ...rest]) => {
    if (group !== 'compose' || command !== 'exec') return
    const [service = '', program, script, ...args] = rest.filter((word) => word !== '-T')
    expect(Object.keys(compose.services)).toContain(service)
    if (program !== 'node') return
    expect(read('Dockerfile')).toContain(`\nENTRYPOINT ["node", "${script}"]`)
    return parseOurs(args)
  },
  ...Object.fromEntries(
    recorded
      .filter((name) => name.startsWith('pg_') || name === 'createdb')
      .map((name) => [name, (args: readonly string[]) => expectFlags(name, args)]),
  ),
}

test.skipIf(process.platform === 'win32').each(pages)(
  'the shell blocks of %s run, with commands, options, scripts and files that exist',
  async (page) => {
    const { machine, commands } = runPage(page)
    for (const [name = '', ...args] of commands) await checks[name]?.(args)
    const files = globSync(['etc/wabakit/*.env', '**/secrets/wabakit.env'], { cwd: machine })
    for (const file of files) {
      const lines = readFileSync(join(machine, file), 'utf8').trim().split('\n')
      const environment = Object.fromEntries(lines.map((line) => line.split(/=(.*)/)))
      const names = settings.map(({ variable }) => variable)
      expect(names).toEqual(expect.arrayContaining(Object.keys(environment)))
      expect(() => loadConfig({ environment, folder: machine })).not.toThrow()
    }
    if (!files.some((file) => file.includes('secrets'))) return
    for (const { file } of Object.values(compose.secrets))
      expect(globSync(`**/examples/deploy/${file}`, { cwd: machine })).toHaveLength(1)
  },
)

test('the service of the compose file in the guide runs what the GitLab job of another guide runs', () => {
  const { mock }: { mock: { image: string; command: string } } = parse(readBlocks('docs/testing.md', 'yaml'))
  const [, gitlab = ''] = read('docs/ci.md').split('## GitLab')
  const { browser } = parse(gitlab.split('```')[1]?.slice('yaml\n'.length) ?? '')
  expect([mock.image, mock.command.split(' ')]).toEqual([
    browser.services[0].name,
    browser.services[0].command,
  ])
})

test.skipIf(!requireCommand('curl', '--version'))(
  'the curl lines of the guide do what they say',
  async () => {
    const server = await start({ sandbox: true, organizations: [{ ...acme, id: 'demo' }] })
    await control(server, 'POST /organizations/demo/simulated-calls', { customerNumber: '+15550199001' })
    const { body } = await control(server, 'GET /organizations/demo/events')
    const script = readBlocks('docs/control-api.md')
      .replaceAll('http://127.0.0.1:4100', server.url)
      .replace('evt_…', body.items[0].id)
      .replaceAll(/ *\\\n */g, ' ')
    const variables = script.match(/^\w+=.*$/gm)?.join('\n')
    const lines = script.match(/^curl .*$/gm) ?? []
    const shell = (line: string) => [
      '-c',
      `${variables}\n${line.replace('curl', 'exec curl --fail-with-body')}`,
    ]
    const answers: unknown[] = []
    for (const line of lines.filter((each) => !each.includes('/stream'))) {
      const { stdout } = await promisify(execFile)('bash', shell(line))
      answers.push(JSON.parse(stdout))
    }
    expect(answers).toMatchObject([
      { channel: 'PSTN', secret: expect.stringMatching(/^whsec_/) },
      { durationInSeconds: 42 },
      { resent: 0 },
      { canceled: expect.any(Number) },
      { window: 'day' },
      { items: [{ window: 'hour' }] },
      { items: [{ kind: 'event', exact: true }] },
      { digits: '15550199001', calls: [{ customerNumber: '+15550199001' }] },
      { endpoint: 'groups.create', times: 3 },
    ])

    const [stream = ''] = lines.filter((each) => each.includes('/stream'))
    const child = spawn('bash', shell(stream), { stdio: ['ignore', 'pipe', 'inherit'] })
    onTestFinished(() => void child.kill())
    let received = ''
    child.stdout.setEncoding('utf8').on('data', (text) => {
      received += text
    })
    await expect
      .poll(async () => {
        await control(server, 'POST /organizations/demo/simulated-calls', {})
        return received
      })
      .toMatch(/^event: event\n/m)
  },
)

test('the guides name only environment variables that something reads', async () => {
  const sources = globSync(['packages/*/src/**/*.ts', 'examples/**/*.{ts,py,go,rb,php}'], {
    cwd: root,
    exclude: (path) => /node_modules/.test(path),
  })
  const { commands } = await createProgram(['--help'])
  const programs = await Promise.all(commands.map((command) => createProgram([command.name()])))
  const listOptions = (command: Command): (string | undefined)[] => [
    ...command.options.map(({ envVar }) => envVar),
    ...command.commands.flatMap(listOptions),
  ]
  const known = new Set([
    ...settings.map(({ variable }) => variable),
    ...programs.flatMap(listOptions),
    ...sources.flatMap((path) => read(path).match(/\bWABAKIT_[A-Z_]+[A-Z]\b/g) ?? []),
  ])
  const named = globSync(['*.md', 'docs/{,reference/,internals/}*.md', 'packages/*/README.md'], {
    cwd: root,
  }).flatMap((page) =>
    [...read(page).matchAll(/\bWABAKIT_[A-Z_]+[A-Z]\b/g)].map(([name]) => ({ page, name })),
  )
  expect(named.filter(({ name }) => !known.has(name))).toEqual([])
})
