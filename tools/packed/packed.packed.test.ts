import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  cpSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join, relative, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { findFreePort } from '../../packages/server/test/free-port.ts'
import { takeBlocks } from '../code-blocks.ts'
import { listModuleSettings } from '../matrix/typescript.ts'
import { readManifest } from '../release/packages.ts'
import { installPacked, listPublishedPackages, listSpecifiers } from './packed.ts'

const run = promisify(execFile)
const root = resolve(import.meta.dirname, '../..')
const project = mkdtempSync(join(tmpdir(), 'wabakit-packed-'))

beforeAll(() => installPacked(project), 180_000)
afterAll(() => rmSync(project, { recursive: true, force: true }))

const specifiers = listSpecifiers()

const evaluate = async (file: string, code: string) => {
  writeFileSync(join(project, file), code)
  const { stdout } = await run('node', [file], { cwd: project })
  return JSON.parse(stdout)
}

test('every subpath can be imported from the tarball, and require returns the same objects', async () => {
  const counts = await evaluate(
    'open.mjs',
    `import { createRequire } from 'node:module'
    const require = createRequire(import.meta.url)
    const counts = {}
    for (const specifier of ${JSON.stringify(specifiers)}) {
      const imported = await import(specifier)
      const required = require(specifier)
      const same = Object.keys(imported).every((name) => imported[name] === required[name])
      counts[specifier] = same ? Object.keys(imported).length : 'differs'
    }
    console.log(JSON.stringify(counts))`,
  )
  expect(counts).toEqual(Object.fromEntries(specifiers.map((name) => [name, expect.any(Number)])))
  const withTypesOnly = specifiers.filter((name) => counts[name] === 0)
  expect(withTypesOnly).toEqual(['@wabakit/server/control-types'])
})

test('wabakit re-exports the same objects as its packages, so that instanceof works across subpaths', async () => {
  const reexporting = specifiers.filter((specifier) => specifier.startsWith('wabakit'))
  const differing = await evaluate(
    'identity.mjs',
    `const packages = { wabakit: '@wabakit/client' }
    const differing = []
    for (const specifier of ${JSON.stringify(reexporting)}) {
      const original = packages[specifier] ?? specifier.replace('wabakit/', '@wabakit/')
      const [ours, theirs] = [await import(specifier), await import(original)]
      for (const name of Object.keys(theirs)) if (ours[name] !== theirs[name]) differing.push(specifier + ' ' + name)
    }
    console.log(JSON.stringify(differing))`,
  )
  expect(differing).toEqual([])
})

test('no build inlines a dependency or another package', () => {
  const foreign = listPublishedPackages().flatMap((dir) =>
    globSync('dist/**/*.js.map', { cwd: dir }).flatMap((map) => {
      const { sources }: { sources: string[] } = JSON.parse(readFileSync(join(dir, map), 'utf8'))
      return sources
        .map((source) => relative(dir, resolve(dir, map, '..', source)))
        .filter((source) => !source.startsWith('src/') && source !== 'package.json')
        .map((source) => `${basename(dir)}/${map} contains ${source}`)
    }),
  )
  expect(foreign).toEqual([])
})

test("the endpoint in the server's README receives the signed webhooks of a call, in an empty folder", async () => {
  const folder = join(project, 'first-steps')
  mkdirSync(folder)
  const [shown, code = '', events] = takeBlocks(import.meta.filename, 3).map((block) => block.code)
  const port = await findFreePort()
  writeFileSync(
    join(folder, 'endpoint.mjs'),
    code.replace("listen(3000, '127.0.0.1')", `listen(${port}, '127.0.0.1', () => console.log('listening'))`),
  )
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('WABAKIT_')))
  const start = (file: string, args: readonly string[], variables: NodeJS.ProcessEnv = {}) => {
    const child = spawn(file, args, {
      cwd: folder,
      env: { ...env, ...variables },
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    onTestFinished(() => void child.kill('SIGKILL'))
    const lines = createInterface(child.stdout)[Symbol.asyncIterator]()
    return { child, line: async (): Promise<string> => (await lines.next()).value ?? 'ended' }
  }
  const wabakit = join(project, 'node_modules/.bin/wabakit')

  const server = start(wabakit, [
    ...['--port', '0', '--webhook-url', `http://127.0.0.1:${port}/webhooks`],
    ...['--format', 'json', '--log-level', 'error'],
  ])
  const { url, demo } = JSON.parse(await server.line())
  const endpoint = start('node', ['endpoint.mjs'], { WABAKIT_WEBHOOK_SECRET: demo.webhookSecret })
  expect(await endpoint.line()).toBe('listening')
  const trigger = await run(wabakit, ['trigger', 'call', '--server', url], { cwd: folder, env })

  expect(trigger.stdout).toMatch(/^call call_/)
  const received = []
  for (let count = 0; count < 4; count += 1) received.push(await endpoint.line())
  expect(received.map((line) => `${line.trim()}\n`).join('')).toBe(events)
  const recap = received.at(-1)?.replace(/^\S+ /, '')
  expect(shown).toMatch(RegExp(`^call_\\w{26} ${recap}\n$`))

  server.child.kill('SIGTERM')
  expect(await once(server.child, 'exit')).toEqual([0, null])
})

test('the command wabakit explains how to run the server if it is not installed', async () => {
  // A folder outside the installation, from which the server cannot be found.
  const away = mkdtempSync(join(tmpdir(), 'wabakit-alone-'))
  onTestFinished(() => rmSync(away, { recursive: true }))
  cpSync(join(project, 'node_modules/wabakit/dist/bin.js'), join(away, 'bin.mjs'))

  await expect(run('node', [join(away, 'bin.mjs')])).rejects.toMatchObject({
    code: 2,
    stdout: '',
    stderr: 'The command line is part of @wabakit/server, which is not installed. Run: npx @wabakit/server\n',
  })
})

/** The oldest and the newest. Those between compile each subpath in tools/matrix. */
const compilers = { '5.6': 'ts56/bin/tsc', '7.0': 'ts70/bin/tsc' }

const compileIn = async (folder: string, compiler: string, compilerOptions: object): Promise<string> => {
  const options = {
    strict: true,
    target: 'es2022',
    lib: ['es2023', 'dom', 'dom.iterable', 'esnext.disposable'],
    types: ['node'],
    typeRoots: [join(root, 'node_modules/@types')],
    skipLibCheck: true,
    exactOptionalPropertyTypes: true,
    ...compilerOptions,
  }
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions: options }))
  const result = await run('node', [join(root, 'node_modules', compiler), '-p', folder]).catch(
    (error) => error,
  )
  return result.stdout
}

test.concurrent.each(
  Object.entries(compilers).flatMap(([version, compiler]) =>
    listModuleSettings(version)
      .filter(({ module, type }) =>
        // A resolution that fails does so in the fast compiler, too. The others read each kind of declarations once.
        version === '7.0'
          ? ['node16', 'nodenext', 'esnext'].includes(module)
          : ['node16 commonjs', 'esnext module'].includes(`${module} ${type}`),
      )
      .map(
        ({ type, ...settings }) =>
          [version, settings.moduleResolution, type, { settings, compiler }] as const,
      ),
  ),
)(
  'a strict consumer compiles with TypeScript %s and moduleResolution %s, of type %s',
  async (version, moduleResolution, type, { settings, compiler }) => {
    const folder = join(project, `consumer-${version}-${moduleResolution}-${type}`)
    cpSync(join(import.meta.dirname, 'consumer'), folder, { recursive: true })
    writeFileSync(join(folder, 'package.json'), JSON.stringify({ type }))
    expect(await compileIn(folder, compiler, { ...settings, noEmit: true })).toBe('')
  },
)

/** What projects export of their own, besides the functions and objects of each entry. */
const ownExports = {
  wabakit: `export const client = m.createClient()
    export const createGroup = (subject: string) => client.groups.create({ wabaNumber: '+15550100001', subject })
    export const getSummary = (callId: string) => client.calls.getSummary(callId)`,
  'wabakit/webhooks': `export const receiver = m.createReceiver({ verify: m.bearerAuth({ token: 'a token of 16 bytes' }) })
      .on('CALL_AI_SUMMARY', (event) => void event.summary)
    export const parse = (body: string) => {
      const parsed = m.parseEvent(body)
      return parsed.kind === 'event' ? parsed.event : parsed
    }
    declare const pool: m.PostgresPool
    export const inbox = m.sqlInbox(pool)`,
  'wabakit/mock': `export const create = () => m.createMock()
    export const wait = async () => (await create()).waitForEvent('CALL_ENDED')
    export const call = async () => (await create()).simulateCall({ channel: 'PSTN', direction: 'INCOMING', outcome: 'answered' })
    export const list = async () => (await create()).server.groups.list('organization', {})`,
  'wabakit/contract': `export const parse = (value: unknown) => m.validate(m.CallSummary, value)
    export const receive = (value: unknown) => m.validateEvent('CALL_ENDED', value)`,
}

test.each(Object.entries(compilers))(
  'a pnpm project exports what it builds with wabakit, with declarations, in TypeScript %s',
  async (version, compiler) => {
    const folder = join(mkdtempSync(join(tmpdir(), 'wabakit-pnpm-')), 'project')
    onTestFinished(() => rmSync(dirname(folder), { recursive: true }))
    // As with pnpm, the project finds wabakit, and only wabakit finds the packages that it consists of.
    for (const [name, target] of [
      ['wabakit', join(project, 'node_modules/wabakit')],
      ['@types/node', join(root, 'node_modules/@types/node')],
    ] as const) {
      mkdirSync(dirname(join(folder, 'node_modules', name)), { recursive: true })
      symlinkSync(target, join(folder, 'node_modules', name))
    }
    writeFileSync(join(folder, 'package.json'), '{ "type": "module" }')
    const entries = specifiers.filter((specifier) => /^wabakit(\/|$)/.test(specifier))
    const exported: Record<string, string[]> = await evaluate(
      'names.mjs',
      `const names = {}
      for (const entry of ${JSON.stringify(entries)}) names[entry] = Object.keys(await import(entry))
      console.log(JSON.stringify(names))`,
    )
    const files = entries.map((specifier) => {
      const file = `${specifier.replaceAll('/', '-')}.ts`
      const own = Object.entries(ownExports).find(([name]) => name === specifier)?.[1] ?? ''
      const lines = exported[specifier]?.map((name) => `export const own_${name} = m.${name}`) ?? []
      writeFileSync(join(folder, file), [`import * as m from '${specifier}'`, ...lines, own].join('\n'))
      return file
    })
    // TypeScript takes a name from any entry that the project imports, so each is compiled alone where this takes seconds.
    for (const together of version === '7.0' ? files.map((file) => [file]) : [files]) {
      const options = [
        '--strict',
        '--declaration',
        '--emitDeclarationOnly',
        '--outDir',
        'out',
        '--skipLibCheck',
      ]
      const modules = ['--module', 'nodenext', '--target', 'es2022', '--lib', 'es2023,dom,esnext.disposable']
      const command = [join(root, 'node_modules', compiler), ...options, ...modules, ...together]
      const { stdout } = await run('node', command, { cwd: folder }).catch((error) => error)
      expect(stdout).toBe('')
    }
  },
)

test('an error that CommonJS catches is the same to an ES module of the project, also by its type', async () => {
  const folder = join(project, 'mixed')
  mkdirSync(folder)
  const names = 'ApiError, createClient'
  const webhookNames = 'createReceiver, WebhookDriftError, type Receiver'
  writeFileSync(
    join(folder, 'catch.cts'),
    `import { ${names} } from 'wabakit'
    import { ${webhookNames} } from 'wabakit/webhooks'
    export const drift = new WebhookDriftError('CALL_ENDED', [], new Uint8Array())
    export const receiver: Receiver = createReceiver({ verify: async () => true })
    export const client = createClient({ apiKey: 'key', baseUrl: 'http://127.0.0.1:9' })
    export const isDrift = (error: unknown) => error instanceof WebhookDriftError
    export { ApiError }`,
  )
  writeFileSync(
    join(folder, 'main.mts'),
    `import { ${names} } from 'wabakit'
    import { ${webhookNames} } from 'wabakit/webhooks'
    import { drift, receiver, client, isDrift, ApiError as Same } from './catch.cjs'
    const own: WebhookDriftError = drift
    const all: [Receiver, ReturnType<typeof createClient>, typeof ApiError] = [receiver, client, Same]
    console.log(own instanceof WebhookDriftError, isDrift(new WebhookDriftError('CALL_ENDED', [], new Uint8Array())),
      all[2] === ApiError, createReceiver.length)`,
  )
  expect(await compileIn(folder, compilers['5.6'], { module: 'node16' })).toBe('')
  const { stdout } = await run('node', ['main.mjs'], { cwd: folder })
  expect(stdout).toMatch(/^true true true /)
})

const listNeeded = (name: string): string[] => {
  const { dependencies = {} } = readManifest(join(project, 'node_modules', name))
  return [name, ...Object.keys(dependencies).flatMap(listNeeded)]
}

test('the receiver alone takes less than 1.36 MB, and its types compile with nothing else installed', async () => {
  const alone = mkdtempSync(join(tmpdir(), 'wabakit-receiver-'))
  onTestFinished(() => rmSync(alone, { recursive: true }))
  for (const name of listNeeded('@wabakit/webhooks'))
    cpSync(join(project, 'node_modules', name), join(alone, 'node_modules', name), { recursive: true })
  const files = globSync('node_modules/**', { cwd: alone, withFileTypes: true }).filter((file) =>
    file.isFile(),
  )
  const sizes = files.map((file) => statSync(join(file.parentPath, file.name)).size)
  expect(sizes.reduce((sum, size) => sum + size)).toBeLessThan(1_360_000)

  writeFileSync(join(alone, 'package.json'), '{ "type": "module" }')
  writeFileSync(
    join(alone, 'receive.ts'),
    `import { createReceiver, parseEvent, standardWebhooks, type WebhookEvent, type WebhookEventOf } from '@wabakit/webhooks'
    createReceiver({ verify: standardWebhooks({ secrets: ['whsec_'] }) })
      .on('CALL_AI_SUMMARY', (event) => void (event.summary.recap satisfies string))
    const parsed = parseEvent('{}')
    if (parsed.kind === 'event') parsed.event satisfies WebhookEvent
    export type Ended = WebhookEventOf<'CALL_ENDED'>['callId'] & string`,
  )
  const options = ['--strict', '--noEmit', '--module', 'nodenext', '--target', 'es2022']
  const compiler = join(root, 'node_modules/typescript/bin/tsc')
  const result = await run('node', [compiler, ...options, 'receive.ts'], { cwd: alone }).catch(
    (error) => error,
  )
  expect(result.stdout).toBe('')
})
