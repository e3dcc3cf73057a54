import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { text } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { frameworks } from '../../src/cli/init/frameworks.ts'
import { type Choices, planFiles } from '../../src/cli/init/plan-files.ts'
import { isMatrix } from '../programs.ts'
import { toLiveTest } from './live-test.ts'
import { folder, wabakitHere as wabakit } from './wabakit.ts'

// One test runs vitest on an application of each framework, which takes longer on a busy machine.

type Manifest = { readonly type?: string; readonly tsconfig?: true; readonly jest?: object }

const createProject = (
  name: string,
  dependencies: Readonly<Record<string, string>>,
  { tsconfig, ...manifest }: Manifest = { tsconfig: true },
): string => {
  const path = join(folder, name)
  mkdirSync(path)
  writeFileSync(join(path, 'package.json'), JSON.stringify({ dependencies, ...manifest }))
  if (tsconfig) writeFileSync(join(path, 'tsconfig.json'), '{}')
  return path
}

/** An application for each framework without file-based routes, around the lines that init prints. */
const applications: Readonly<Record<string, (lines: string) => string>> = {
  Hono: (lines) => `import { serve } from '@hono/node-server'
import { Hono } from 'hono'
const app = new Hono()
${lines}
const server = serve({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' })
await new Promise((resolve) => server.once('listening', resolve))
export const port = server.address().port`,
  Fastify: (lines) => `import fastify from 'fastify'
const app = fastify()
${lines}
await app.listen({ port: 0, host: '127.0.0.1' })
export const port = app.server.address().port`,
  Express: (lines) => `import express from 'express'
const app = express()
${lines}
app.use(express.json())
const server = app.listen(0, '127.0.0.1')
await new Promise((resolve) => server.once('listening', resolve))
export const port = server.address().port`,
}

/** The lines for NestJS are TypeScript of an application in `src`. This one is JavaScript next to it. */
const writeNest = (lines: string): string => `import 'reflect-metadata'
import { Module } from '@nestjs/common'
import { NestFactory } from '@nestjs/core'
${lines
  .replace(/^import type .*\n/m, '')
  .replace("'./wabakit", "'./src/wabakit")
  .replace('<NestExpressApplication>', '')
  .replace(/^@(Module\(.*\))$/m, 'class AppModule {}\n$1(AppModule)')}
await app.listen(0, '127.0.0.1')
export const port = app.getHttpServer().address().port
export const close = () => app.close()`

/** Writes a test that starts the application and sends it a signed webhook and a forged one. */
const writeApplicationTest = (path: string, name: string, lines: readonly string[]): void => {
  const write = name === 'NestJS' ? writeNest : applications[name]
  if (write === undefined) return
  // A CommonJS application is a module here, so that a test can import it.
  const require =
    "import { createRequire } from 'node:module'\nconst require = createRequire(import.meta.url)\n"
  const text = lines.join('\n')
  writeFileSync(join(path, 'app.mjs'), `${text.includes('require(') ? require : ''}${write(text)}\n`)
  writeFileSync(
    join(path, 'app.test.mjs'),
    `import { expect, onTestFinished, test, vi } from 'vitest'
import { signWebhook } from 'wabakit/webhooks'
const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'
process.env.WABAKIT_WEBHOOK_SECRET = secret
process.env.WEBHOOK_TOKEN = secret
test('${name} receives a webhook with the lines that init prints', async () => {
  // The receiver keeps its secret for a minute, but other tests use other secrets.
  vi.resetModules()
  onTestFinished(() => vi.resetModules())
  const before = process.listenerCount('SIGTERM')
  const { port, close } = await import('./app.mjs')
  const payload = JSON.stringify({ event: 'GROUP_CREATED', groupId: 'g1' })
  const { headers } = await signWebhook({ payload, secret })
  const send = (body, headers, query = '') => fetch(\`http://127.0.0.1:\${port}/webhooks\${query}\`, { method: 'POST', headers, body })
  const token = { authorization: 'Bearer ' + secret, 'x-webhook-token': secret }
  const query = '?token=' + encodeURIComponent(secret)
  expect((await send(payload, { ...headers, ...token }, query)).status).toBe(200)
  expect((await send(payload.replace('g1', 'g2'), headers)).status).toBe(401)
  if (close !== undefined) return await close()
  const [stop, ...others] = process.listeners('SIGTERM').slice(before)
  expect(others).toEqual([])
  process.off('SIGTERM', stop)
  stop()
  await expect.poll(() => send('', {}).then(() => 'open', () => 'closed')).toBe('closed')
})
`,
  )
}

test('the files for each framework pass their test, and work with the printed lines', async () => {
  const languages = {
    ts: { type: 'module', tsconfig: true },
    js: { type: 'module' },
    mjs: {},
  } as const
  const root = join(folder, 'running')
  mkdirSync(root)
  symlinkSync(resolve(import.meta.dirname, '../../../../node_modules'), join(root, 'node_modules'))
  const conditions = ['@wabakit/source', 'module', 'node']
  writeFileSync(
    join(root, 'vitest.config.mjs'),
    `export default ${JSON.stringify({
      resolve: { conditions },
      ssr: { resolve: { conditions } },
      oxc: { decorator: { legacy: true } },
      test: { isolate: false, maxWorkers: 1, testTimeout: 600_000 },
    })}`,
  )
  /** Each framework has other answers, and all frameworks together have all of them. */
  const answers: readonly Choices[] = [
    { inbox: false },
    {},
    { verify: 'header', inbox: true },
    { verify: 'bearer' },
    { verify: 'signature', inbox: true },
    { verify: 'header' },
    { verify: 'bearer', inbox: true },
  ]
  let count = 0
  let turn = 0
  for (const [index, { name, dependency, isLazy }] of frameworks.entries()) {
    const live = createProject(
      `running/${dependency.replace(/\W/g, '')}-live`,
      { [dependency]: '*' },
      languages.ts,
    )
    for (const { path, text } of planFiles(live).files) {
      const isTest = /\.(?:test|spec)\./.test(path)
      mkdirSync(dirname(join(live, path)), { recursive: true })
      writeFileSync(join(live, path), isTest ? toLiveTest(text) : text)
    }
    count += 1
    const all = Object.entries(languages)
    for (const [language, manifest] of all.filter((_, each) => isMatrix || each === index % all.length)) {
      const { verify, inbox } = answers[turn++ % answers.length] ?? {}
      const path = createProject(
        `running/${dependency.replace(/\W/g, '')}-${language}`,
        { [dependency]: '*' },
        manifest,
      )
      const { files, nextLines } = planFiles(path, { verify, inbox: isLazy ? undefined : inbox })
      const isTyped = name === 'NestJS' || language === 'ts'
      for (const file of files) {
        if (/\.[tm]?[jt]s$/.test(file.path)) expect(file.path.endsWith('.ts')).toBe(isTyped)
        mkdirSync(dirname(join(path, file.path)), { recursive: true })
        writeFileSync(join(path, file.path), file.text)
        if (/^(?:route|\+server)\./.test(basename(file.path))) {
          writeFileSync(
            join(path, 'route.test.mjs'),
            `import { expect, test } from 'vitest'\nimport { POST } from './${file.path}'\ntest('the route of ${name} is a function', () => expect(POST).toBeTypeOf('function'))\n`,
          )
          count += 1
        }
        const [, start] = /export const (register|init)\b/.exec(file.text) ?? []
        if (start !== undefined) {
          writeFileSync(
            join(path, 'start.test.mjs'),
            `import { expect, test, vi } from 'vitest'
test('${name} handles what is stored', async () => {
  // The other tests close their database.
  vi.resetModules()
  const { receiver } = await import('${name === 'Next.js' ? './wabakit' : './src/lib/server'}/receiver')
  const { ${start} } = await import('./${file.path}')
  const handled = []
  receiver.on('CALL_ENDED', ({ callId }) => void handled.push(callId))
  process.env.NEXT_RUNTIME = 'nodejs'
  await receiver.accept('{"event":"CALL_ENDED","callId":"stored"}')
  await ${start}()
  await expect.poll(() => handled).toEqual(['stored'])
  // After an edit, the new module takes over without a second start.
  vi.resetModules()
  const edited = (await import('${name === 'Next.js' ? './wabakit' : './src/lib/server'}/receiver')).receiver
  expect(edited).not.toBe(receiver)
  edited.on('CALL_ENDED', ({ callId }) => void handled.push('edited: ' + callId))
  await edited.accept('{"event":"CALL_ENDED","callId":"next"}')
  await expect.poll(() => handled).toEqual(['stored', 'edited: next'])
  await edited.stop()
  vi.resetModules()
})
`,
          )
          count += 1
        }
      }
      writeApplicationTest(path, name, nextLines)
      count += name in applications || name === 'NestJS' ? 2 : 1
    }
  }
  const vitest = resolve(import.meta.dirname, '../../../../node_modules/vitest/vitest.mjs')
  const child = spawn(
    process.execPath,
    [
      '--conditions=@wabakit/source',
      vitest,
      'run',
      '--reporter=default',
      '--reporter=json',
      '--outputFile.json=report.json',
      '--root',
      root,
      // Loading a framework on a busy machine takes longer than the 5 s of vitest.
      '--testTimeout=120000',
    ],
    {
      env: { ...process.env, VITEST: undefined, NODE_ENV: undefined },
    },
  )
  const [code, output, errors] = await Promise.all([
    new Promise((end) => child.on('close', end)),
    text(child.stdout),
    text(child.stderr),
  ])
  expect(code, output + errors).toBe(0)
  expect(JSON.parse(readFileSync(join(root, 'report.json'), 'utf8')).numPassedTests).toBe(count)
})

test('writes what CommonJS, jest and the answers need', async () => {
  const path = createProject('jest', { express: '*', pg: '*', jest: '*' }, {})
  const { code, stdout } = await wabakit(['init', '--yes', '--verify', 'header', '--inbox'], { cwd: path })
  const read = (file: string): string => readFileSync(join(path, file), 'utf8')

  expect(code).toBe(0)
  expect(read('wabakit/receiver.js')).toContain("const { Pool } = require('pg')")
  expect(read('wabakit/receiver.js')).toContain('inbox: sqlInbox(database, {')
  expect(read('wabakit/receiver.js')).toMatch(/module\.exports = \{ database, receiver \}\n$/)
  expect(read('test/wabakit.test.js')).toContain("require('@jest/globals')")
  // A test must neither touch the entries of a running process, nor keep jest from ending.
  expect(read('wabakit/receiver.js')).toContain("NODE_ENV === 'test' ? 'wabakit_inbox_test'")
  expect(read('test/wabakit.test.js')).toMatch(
    /DROP TABLE IF EXISTS wabakit_inbox_test'\)\n.*stop\(\)\n.*database\.end\(\)/,
  )
  expect(read('.env.wabakit.example')).toContain('\nWEBHOOK_TOKEN=\n')
  expect(stdout).toContain("const { receiver } = require('./wabakit/receiver.js')")
  expect(stdout).toContain('receiver.start() //')
  expect(stdout).toContain('Then run: npm install wabakit\n')
  expect(stdout).toContain('Its test: node --experimental-vm-modules node_modules/jest/bin/jest.js ')
  expect(stdout).toContain('--header "x-webhook-token: …"')
  expect(stdout).toContain('inbox list --database "$DATABASE_URL"')
})

test('writes a module of NestJS with its test in src, and prints paths that exist from there', async () => {
  const path = createProject('nest', { '@nestjs/core': '*', jest: '*', pg: '*' }, { type: 'module' })
  const { stdout } = await wabakit(['init', '--yes', '--inbox'], { cwd: path })
  const [, module = ''] = /import \{ WebhooksModule \} from '(\.\/.+)\.js'/.exec(stdout) ?? []
  expect(existsSync(join(path, 'src', `${module}.ts`))).toBe(true)
  expect(existsSync(join(path, 'src/wabakit/webhooks.module.spec.ts'))).toBe(true)
})

test('prints paths that exist from the folder of the application, and writes the test where jest looks', async () => {
  const svelte = createProject('svelte', { '@sveltejs/kit': '*' })
  expect(planFiles(svelte).port).toBe(5173)
  const hooks = planFiles(svelte).files.find((file) => file.path === 'src/hooks.server.ts')
  expect(hooks?.text).toContain("import { start } from './lib/server/receiver'")
  const jest = createProject(
    'jest-src',
    { express: '*', jest: '*' },
    { tsconfig: true, jest: { rootDir: 'src' } },
  )
  mkdirSync(join(jest, 'src'))
  expect(planFiles(jest).files.map((file) => file.path)).toContain('src/wabakit/receiver.spec.ts')
})

test('prints what jest needs to find a .ts file that is imported as .js, as TypeScript asks in a module', () => {
  const dependencies = { express: '*', jest: '*' }
  const module = planFiles(createProject('jest-module', dependencies, { type: 'module', tsconfig: true }))
  expect(module.files.map(({ text }) => text).join()).toContain("from '../wabakit/receiver.js'")
  const [, pattern = ''] = /^moduleNameMapper: \{ '(.+)': '\$1' \},$/m.exec(module.nextLines.join('\n')) ?? []
  expect('../wabakit/receiver.js'.replace(new RegExp(pattern), '$1')).toBe('../wabakit/receiver')
  const script = planFiles(createProject('jest-script', dependencies))
  expect(script.nextLines.join()).not.toContain('moduleNameMapper')
})

test('draws a new token of 128 bits for each project', () => {
  const path = createProject('tokens', { hono: '*' })
  const tokens = Array.from({ length: 50 }, () => planFiles(path).token)
  for (const token of tokens) expect(token).toMatch(/^[0-9a-f]{32}$/)
  expect(new Set(tokens).size).toBe(50)
  // Each of the 32 digits takes other values: none is fixed.
  for (let index = 0; index < 32; index++)
    expect(new Set(tokens.map((token) => String(token)[index])).size).toBeGreaterThan(3)
})

test('refuses an inbox where there is no database', async () => {
  const path = createProject('worker', { wrangler: '*' })
  const { code, stderr } = await wabakit(['init', '--yes', '--inbox'], { cwd: path })
  expect([code, stderr]).toEqual([2, 'Cloudflare Workers has no database for an inbox.\n'])
})

test('writes no files through a symbolic link to a folder', async () => {
  const path = createProject('linked', { hono: '*' })
  const elsewhere = join(folder, 'elsewhere')
  mkdirSync(elsewhere)
  symlinkSync(elsewhere, join(path, 'test'))
  expect(await wabakit(['init', '--yes'], { cwd: path })).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('test is a symbolic link. Nothing was written'),
  })
  expect(readdirSync(elsewhere)).toEqual([])
  expect(readdirSync(path).sort()).toEqual(['package.json', 'test', 'tsconfig.json'])
})

test.each(['app', 'pages'])('uses src/%s of Next.js, which an app folder next to src would hide', (name) => {
  const path = createProject(`next-${name}`, { next: '*', vitest: '*' })
  mkdirSync(join(path, 'src', name), { recursive: true })
  const { files, install } = planFiles(path)
  expect(files.map((file) => file.path)).toEqual([
    'src/wabakit/receiver.ts',
    'src/app/webhooks/route.ts',
    'src/instrumentation.ts',
    'test/wabakit.test.ts',
    '.env.wabakit.example',
  ])
  expect(install).toBe('npm install wabakit && npm install --save-dev @types/node@latest')
})

test.each([
  [{ vitest: '*', '@types/node': '^24.0.0' }, undefined],
  [{ '@types/node': '^20' }, 'vitest @types/node@latest'],
  [{ vitest: '*', '@types/node': '~18.19.1' }, '@types/node@latest'],
  [{ vitest: '*', '@types/node': 'latest' }, undefined],
])('installs the types of SQLite, which those of Node.js 20 lack, %#', (dependencies, added) => {
  const path = createProject(`types-${Math.random()}`, { hono: '*', ...dependencies })
  const more = added === undefined ? '' : ` && npm install --save-dev ${added}`
  expect(planFiles(path).install).toBe(`npm install wabakit${more}`)
})

test('imports TypeScript without an ending where a bundler resolves it, also in a project of ES modules', () => {
  const read = (dependency: string) => {
    const manifest = { type: 'module', tsconfig: true } as const
    const path = createProject(`ending-${dependency}`, { [dependency]: '*', vitest: '*' }, manifest)
    const { files, nextLines } = planFiles(path, { inbox: true })
    return [...files.map(({ text }) => text), ...nextLines]
      .join('\n')
      .match(/(?<=(?:from |import\()')\.[^']*/g)
  }
  const bundled = ['../../wabakit/receiver', './wabakit/receiver', '../wabakit/receiver']
  expect([read('next'), read('express')]).toEqual([
    bundled,
    ['../wabakit/receiver.js', './wabakit/receiver.js'],
  ])
})

test('writes files only after confirmation, and never overwrites one', async () => {
  const path = createProject('written', { hono: '*' })
  const refused = await wabakit(['init'], { cwd: path })
  expect(refused.code).toBe(2)
  expect(refused.stdout).toContain('wabakit/receiver.ts')
  expect(refused.stderr).toContain('Add --yes')
  expect(existsSync(join(path, 'wabakit'))).toBe(false)

  mkdirSync(join(path, 'test'))
  writeFileSync(join(path, 'test/wabakit.test.ts'), 'mine')
  const { code, stdout } = await wabakit(['init', '--yes'], { cwd: path })
  expect(code).toBe(0)
  expect(stdout).toContain("app.post('/webhooks', (c) => receiver.handle(c))")
  expect(stdout).toContain('npm install wabakit && npm install --save-dev vitest @types/node@latest\n')
  expect(stdout).toContain("import { receiver } from './wabakit/receiver'")
  expect(stdout).toMatch(
    /Start your application on port 3000 with WEBHOOK_TOKEN=([0-9a-f]{32})\n.*\n {2}npx @wabakit\/server --sandbox --profile live --webhook-url 'http:\/\/127\.0\.0\.1:3000\/webhooks\?token=\1'\n/,
  )
  expect(stdout).toContain('  npx @wabakit/server inbox list --database webhooks.db\n')
  expect(stdout).toContain('These exist and stay as they are: test/wabakit.test.ts')
  expect(readFileSync(join(path, 'test/wabakit.test.ts'), 'utf8')).toBe('mine')
  expect(readFileSync(join(path, 'wabakit/receiver.ts'), 'utf8')).toContain('urlToken')
  expect(stdout).toContain('Its test: npx vitest run\n')
  expect(stdout).toContain('Keep out of git: wabakit.db* webhooks.db*\n')
  const again = await wabakit(['init'], { cwd: path })
  expect([again.code, again.stderr]).toEqual([0, expect.stringContaining('There is nothing to write.')])
  expect(again.stdout).not.toContain('These files are new')
  expect(again.stdout).toContain("app.post('/webhooks', (c) => receiver.handle(c))")
  expect(again.stdout).toMatch(/ WEBHOOK_TOKEN=[0-9a-f]{32}\nThis token is new\..*openssl rand -hex 16\n/)
})

test('lists the supported frameworks', async () => {
  const path = createProject('unknown', { koa: '*' })
  const { code, stderr } = await wabakit(['init'], { cwd: path })
  expect([code, stderr]).toEqual([
    2,
    expect.stringMatching(/none of Next\.js, SvelteKit.*docs\/reference\/frameworks\.md /),
  ])
})
