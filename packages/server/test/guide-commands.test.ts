import { execFile, spawn, spawnSync } from 'node:child_process'
import { existsSync, globSync, readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import type { Command } from 'commander'
import { expect, onTestFinished, test } from 'vitest'
import { parse } from 'yaml'
import { takeBlocks } from '../../../tools/code-blocks.ts'
import { distribution } from '../../webhooks/test/installed-postgres.ts'
import { createProgram } from '../src/cli/program.ts'
import { loadConfig } from '../src/config/load-config.ts'
import { settings } from '../src/config/settings.ts'
import { acme, control, start } from './fixture.ts'
import { requireCommand } from './programs.ts'
import { runPage, shellPages } from './run-page.ts'

const root = resolve(import.meta.dirname, '../../..')
const read = (path: string): string => readFileSync(resolve(root, path), 'utf8')

const blocks = takeBlocks(import.meta.filename)

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

const dockerfile = read('Dockerfile')

/** Expects files and folders of the repository to exist. */
const expectPaths = (args: readonly string[]): void => {
  for (const path of args.filter((word) => /^[a-z][\w.-]*\//.test(word)))
    expect([path, ['', 'packages'].some((folder) => existsSync(join(root, folder, path)))]).toEqual([
      path,
      true,
    ])
}

/** Checks of the arguments of each command, such as files that must exist and flags that it must know. */
const checks: Readonly<Record<string, (args: readonly string[]) => unknown>> = {
  wabakit: parseOurs,
  npx: (args) => {
    const [name = '', ...rest] = args.filter((word) => word !== '--yes')
    if (name === 'wabakit' || name === '@wabakit/server') return parseOurs(rest)
    expect(readdirSync(join(root, 'node_modules/.bin'))).toContain(name)
    expectPaths(rest)
  },
  npm: ([command, script = '', ...rest]) => {
    if (command !== 'run') return
    expect(Object.keys(scripts)).toContain(script)
    expectPaths(rest)
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
  // It is not installed where tests run.
  docker: ([group, command, ...rest]) => {
    if (group === 'run') {
      const [, volume] = /--volume \w+:(\S+)/.exec(rest.join(' ')) ?? []
      const [, port] = /--publish [\d.]+:\d+:(\d+)/.exec(rest.join(' ')) ?? []
      expect(dockerfile).toContain(`\nVOLUME ${volume}\nEXPOSE ${port}\n`)
    }
    if (group !== 'compose' || command !== 'exec') return
    const [service = '', program = '', ...args] = rest.filter((word) => word !== '-T')
    expect(Object.keys(compose.services)).toContain(service)
    if (program !== 'node') return checks[program]?.(args)
    expect(dockerfile).toContain(`\nENTRYPOINT ["node", "${args[0]}"]`)
    return parseOurs(args.slice(1))
  },
  pg_dump: (args) => {
    if (distribution === undefined) return
    const { stdout } = spawnSync(join(distribution, 'pg_dump'), ['--help'], { encoding: 'utf8' })
    for (const flag of args.filter((word) => word.startsWith('--'))) expect(stdout).toContain(flag)
  },
}

test.skipIf(process.platform === 'win32').each(shellPages)(
  'the shell blocks of %s run, with commands, options, scripts and files that exist',
  async (page) => {
    const { machine, commands } = runPage(page)
    for (const { name, args } of commands) await checks[name]?.(args)
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

test('the service of the compose file in the guide runs what the GitLab job of another guide runs', async () => {
  const { mock }: { mock: { image: string; command: string } } = parse(
    blocks.find(({ language }) => language === 'yaml')?.code ?? '',
  )
  const [, gitlab = ''] = read('docs/ci.md').split('## GitLab')
  const { browser } = parse(gitlab.split('```')[1]?.slice('yaml\n'.length) ?? '')
  expect([mock.image, mock.command.split(' ')]).toEqual([
    browser.services[0].name,
    browser.services[0].command,
  ])
  await checks.npx?.(mock.command.split(' ').slice(1))
})

test.skipIf(!requireCommand('curl', '--version'))(
  'the curl lines of the guide do what they say',
  async () => {
    const server = await start({ sandbox: true, organizations: [{ ...acme, id: 'demo' }] })
    await control(server, 'POST /organizations/demo/simulated-calls', { customerNumber: '+15550199001' })
    const { body } = await control(server, 'GET /organizations/demo/events')
    const script = blocks
      .flatMap(({ language, code }) => (language === 'sh' ? [code] : []))
      .join('\n')
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
