import { execFile } from 'node:child_process'
import { cpSync, existsSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { chromiumPath } from '../../packages/server/test/programs.ts'
import { installPacked, listSpecifiers } from '../packed/packed.ts'
import { readManifest } from '../release/packages.ts'
import { bundlers, checkBundle } from './bundlers.ts'
import { checkInFirefox } from './check-in-firefox.ts'
import { checkInChromium } from './chromium.ts'
import { firefoxPath, hasFirefox } from './firefox.ts'
import { checkInHermes, hermes } from './react-native.ts'
import { type Result, storeSection, testSection } from './results.ts'
import { checkServer, checkTooOld } from './server.ts'
import { startService } from './service.ts'
import { listCompiling } from './typescript.ts'
import { checkVitestTypes } from './vitest.ts'
import { checkInWorkerd } from './workerd.ts'

// Tests the packed packages in every installed runtime, bundler and TypeScript version. `npm install` in this folder installs them,
// except Chromium and Firefox, which are the system's. Arguments select entries by name.
const run = promisify(execFile)
const here = import.meta.dirname
const root = resolve(here, '../..')
const resolveInstalled = (...path: string[]) => join(here, 'node_modules', ...path)

const oldest = {
  client: resolveInstalled('node22/bin/node'),
  server: resolveInstalled('node22-server/bin/node'),
}
const deno = (folder: string) => ({
  file: process.execPath,
  script: [resolveInstalled(folder, 'bin.cjs')],
  args: ['run', '--allow-all', '--node-modules-dir=manual', '--no-lock'],
})

const commands: Record<string, { file: string; script?: string[]; args: string[] }> = {
  'Node.js, oldest': { file: oldest.client, args: ['--experimental-strip-types'] },
  'Node.js 24': { file: resolveInstalled('node24/bin/node'), args: [] },
  'Node.js 26': { file: process.execPath, args: [] },
  'Bun, oldest': { file: resolveInstalled('bun-oldest/bin/bun.exe'), args: [] },
  Bun: { file: resolveInstalled('bun/bin/bun.exe'), args: [] },
  'Deno, oldest': deno('deno-oldest'),
  Deno: deno('deno'),
}

const readVersion = async (file: string, script: readonly string[] = []): Promise<string> =>
  /\d+\.\d+\.\d+/.exec((await run(file, [...script, '--version'])).stdout)?.[0] ?? 'unknown'

const project = mkdtempSync(join(tmpdir(), 'wabakit-matrix-'))
const service = await startService()
const selected = process.argv.slice(2)
const passes = (version: string): Result => ({ version, result: 'passes' })

/** The test for each runtime, or `undefined` if it is not installed. */
const runtimes: Record<string, (() => Promise<Result>) | undefined> = {
  ...Object.fromEntries(
    Object.entries(commands).map(([name, { file, script = [], args }]) => [
      name,
      [file, ...script].every((each) => existsSync(each))
        ? async () => {
            const main = join(project, 'checks/main.ts')
            await run(file, [...script, ...args, main, service.url, service.refusedUrl], {
              cwd: project,
              timeout: 60_000,
            })
            return passes(await readVersion(file, script))
          }
        : undefined,
    ]),
  ),
  'Node.js, oldest for the server': existsSync(oldest.server)
    ? async () => {
        await checkServer(oldest.server, project)
        await checkTooOld(oldest.client, project)
        return passes(await readVersion(oldest.server))
      }
    : undefined,
  workerd: async () => {
    await checkInWorkerd(project, service)
    return passes(readManifest(join(root, 'node_modules/workerd')).version)
  },
  Chromium: chromiumPath
    ? async () => {
        await checkInChromium(project, service)
        return passes(await readVersion(chromiumPath ?? '', ['--no-sandbox']))
      }
    : undefined,
  Firefox: hasFirefox
    ? async () => {
        await checkInFirefox(project, service)
        return passes(await readVersion(firefoxPath))
      }
    : undefined,
  'Hermes, as in React Native': existsSync(hermes)
    ? async () => {
        await checkInHermes(project)
        return passes(readManifest(resolveInstalled('hermes-engine-cli')).version)
      }
    : undefined,
}

const compilers = {
  '5.6': join(root, 'node_modules/ts56/bin/tsc'),
  '5.9': resolveInstalled('typescript59/bin/tsc'),
  '6.0': join(root, 'node_modules/typescript/bin/tsc'),
  '7.0': join(root, 'node_modules/ts70/bin/tsc'),
}
/** The imports to test: `wabakit`, and the packages that it does not contain. */
const subpaths = [
  ...listSpecifiers().filter((each) => /^(?:wabakit|@wabakit\/(?:server|conformance))/.test(each)),
  'wabakit/mock/msw',
]
/** Returns the versions that compile each subpath, and which of them need `skipLibCheck`. */
const compileSubpaths = async (): Promise<Record<string, Result>> => {
  symlinkSync(join(root, 'node_modules/msw'), join(project, 'node_modules/msw'))
  const compilation = { project, typeRoots: join(root, 'node_modules/@types') }
  const versions = new Map(subpaths.map((each) => [each, { all: [] as string[], lenient: [] as string[] }]))
  for (const [version, compiler] of Object.entries(compilers)) {
    const strict = await listCompiling(compiler, { ...compilation, version, subpaths, skipLibCheck: false })
    const others = subpaths.filter((each) => !strict.includes(each))
    const lenient = others.length
      ? await listCompiling(compiler, { ...compilation, version, subpaths: others, skipLibCheck: true })
      : []
    for (const each of [...strict, ...lenient]) versions.get(each)?.all.push(version)
    for (const each of lenient) versions.get(each)?.lenient.push(version)
  }
  return Object.fromEntries(
    [...versions].map(([subpath, { all, lenient }]) => {
      const condition = lenient.length ? `; ${lenient.join(', ')} with \`skipLibCheck\`` : ''
      return [`\`${subpath}\``, { version: all.join(', '), result: `passes${condition}` }]
    }),
  )
}

try {
  await installPacked(project)
  for (const folder of ['checks', 'react-native'])
    cpSync(join(here, folder), join(project, folder), { recursive: true })
  await testSection('Runtimes', runtimes)
  if (selected.length === 0 || selected.includes('TypeScript'))
    await storeSection('TypeScript', await compileSubpaths())
  await testSection(
    'Bundlers',
    Object.fromEntries(
      Object.keys(bundlers).map((name) => [
        name,
        async () => passes(await checkBundle(name, { project, ...service })),
      ]),
    ),
  )
  if (existsSync(resolveInstalled('vitest'))) await checkVitestTypes(resolveInstalled('vitest'), project)
} finally {
  await service.close()
  rmSync(project, { recursive: true, force: true })
}
