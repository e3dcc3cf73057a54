import { execFile } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { build } from 'esbuild'

const run = promisify(execFile)
const installed = join(import.meta.dirname, 'node_modules')

/** Imports a package that is installed in this folder, without its types. */
const load = (name: string) => import(name)

const binaries: Partial<Record<NodeJS.Platform, string>> = {
  linux: 'linux64-bin/hermes',
  darwin: 'osx-bin/hermes',
  win32: 'win64-bin/hermes.exe',
}

/** The command line of Hermes, the engine of React Native. */
export const hermes = join(installed, 'hermes-engine-cli', binaries[process.platform] ?? '')

/**
 * Checks the client, and how webhooks are parsed and verified, in Hermes with the globals of React Native. Babel
 * compiles the syntax that the engine lacks, as in React Native.
 */
export const checkInHermes = async (project: string): Promise<string[]> => {
  const { outputFiles } = await build({
    entryPoints: [join(project, 'react-native/main.ts')],
    bundle: true,
    format: 'iife',
    platform: 'browser',
    target: 'es2022',
    conditions: ['react-native'],
    nodePaths: [installed],
    write: false,
  })
  const { transformAsync } = await load('@babel/core')
  const { code } = await transformAsync(outputFiles[0]?.text, {
    configFile: false,
    compact: false,
    cwd: import.meta.dirname,
    presets: [['@babel/preset-env', { targets: { ie: 11 } }]],
  })
  const file = join(project, 'react-native.js')
  writeFileSync(file, code)
  const { stdout } = await run(hermes, ['-Xmicrotask-queue', '-w', file], { timeout: 60_000 })
  const { passed, failed }: { passed?: string[]; failed?: string } = JSON.parse(stdout)
  if (!passed) throw new Error(failed)
  return passed
}
