import { execFile } from 'node:child_process'
import { cpSync, existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { installPacked } from '../packed.ts'
import { checkInChromium, hasChromium } from './chromium.ts'
import { checkServer, checkTooOld } from './server.ts'
import { startService } from './service.ts'
import { checkVitestTypes } from './vitest.ts'
import { checkInWorkerd } from './workerd.ts'

// Tests the packed packages in every installed runtime. `npm ci` in this folder installs the runtimes, except Chromium, which
// is the system's. Arguments select runtimes by name.
const run = promisify(execFile)
const here = import.meta.dirname
const resolveInstalled = (...path: string[]) => join(here, 'node_modules', ...path)

const oldest = {
  client: resolveInstalled('node22/bin/node'),
  server: resolveInstalled('node22-server/bin/node'),
}

const commands: Record<string, { file: string; args: string[] }> = {
  'Node 22.13': { file: oldest.client, args: ['--experimental-strip-types'] },
  'Node 24': { file: resolveInstalled('node24/bin/node'), args: [] },
  'Node 26': { file: process.execPath, args: [] },
  Bun: { file: resolveInstalled('.bin/bun'), args: [] },
  Deno: {
    file: resolveInstalled('.bin/deno'),
    args: ['run', '--allow-all', '--node-modules-dir=manual', '--no-lock'],
  },
}

const project = mkdtempSync(join(tmpdir(), 'wabakit-matrix-'))
const service = await startService()

/** How to test each runtime, or `undefined` if it is not installed. */
const tests: Record<string, (() => Promise<string[]>) | undefined> = {
  ...Object.fromEntries(
    Object.entries(commands).map(([name, { file, args }]) => [
      name,
      existsSync(file)
        ? async () => {
            const main = join(project, 'checks/main.ts')
            const { stdout } = await run(file, [...args, main, service.url, service.refusedUrl], {
              cwd: project,
              timeout: 60_000,
            })
            return JSON.parse(stdout)
          }
        : undefined,
    ]),
  ),
  // Each on the oldest version that it supports.
  'server on Node 22.19': existsSync(oldest.server) ? () => checkServer(oldest.server, project) : undefined,
  'server on Node 22.13': existsSync(oldest.client) ? () => checkTooOld(oldest.client, project) : undefined,
  'types of vitest 4': existsSync(resolveInstalled('vitest'))
    ? () => checkVitestTypes(resolveInstalled('vitest'), project)
    : undefined,
  workerd: () => checkInWorkerd(project, service, false),
  Chromium: hasChromium() ? () => checkInChromium(project, service, false) : undefined,
}

const selected = process.argv.slice(2)
let failures = 0
try {
  await installPacked(project)
  cpSync(join(here, 'checks'), join(project, 'checks'), { recursive: true })
  for (const [name, runTest] of Object.entries(tests)) {
    if (selected.length > 0 && !selected.includes(name)) continue
    if (!runTest) {
      console.log(`SKIPPED  ${name}: not installed`)
      continue
    }
    try {
      console.log(`ok       ${name}: ${(await runTest()).length} checks passed`)
    } catch (error) {
      failures += 1
      console.log(`FAILED   ${name}: ${error instanceof Error ? error.message : error}`)
    }
  }
} finally {
  await service.close()
  rmSync(project, { recursive: true, force: true })
}
process.exitCode = failures > 0 ? 1 : 0
