import { execFile } from 'node:child_process'
import { existsSync, globSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)
const root = resolve(import.meta.dirname, '../../..')

type Manifest = { name: string; private?: boolean; dependencies?: Record<string, string> }

const manifestOf = (dir: string): Manifest => JSON.parse(readFileSync(join(dir, 'package.json'), 'utf8'))

/** Folders of the packages that are published. */
export const publishedPackages = (): string[] =>
  readdirSync(join(root, 'packages'))
    .map((name) => join(root, 'packages', name))
    .filter((dir) => existsSync(join(dir, 'package.json')) && manifestOf(dir).private !== true)

const isBuilt = (dir: string): boolean => {
  if (!existsSync(join(dir, 'dist/index.d.ts'))) return false
  const built = statSync(join(dir, 'dist/index.d.ts')).mtimeMs
  return globSync('src/**/*.ts', { cwd: dir }).every((file) => statSync(join(dir, file)).mtimeMs <= built)
}

/** Builds all packages unless every build is newer than its sources. */
export const ensureBuilt = async (): Promise<void> => {
  if (publishedPackages().every(isBuilt)) return
  await run('tsup', ['--silent'], { cwd: root })
}

/** Installed folders of the third-party packages that the published ones need, however deep. */
const thirdParty = (): string[] => {
  const found = new Set<string>()
  const visit = (dir: string): void => {
    for (const name of Object.keys(manifestOf(dir).dependencies ?? {})) {
      const nested = join(dir, 'node_modules', name)
      const installed = existsSync(nested) ? nested : join(root, 'node_modules', name)
      if (name === 'wabakit' || name.startsWith('@wabakit/') || found.has(installed)) continue
      found.add(installed)
      visit(installed)
    }
  }
  for (const dir of publishedPackages()) visit(dir)
  return [...found]
}

/**
 * Installs the packed tarballs of all packages into `dir` with npm itself, as a user would, but without a network:
 * third-party packages come as tarballs of what is installed here.
 */
export const installPacked = async (dir: string): Promise<void> => {
  await ensureBuilt()
  const tarballs = join(dir, 'tarballs')
  mkdirSync(tarballs, { recursive: true })
  const folders = [...publishedPackages(), ...thirdParty()]
  const pack = ['pack', '--json', '--ignore-scripts', '--pack-destination', tarballs, ...folders]
  const { stdout } = await run('npm', pack, { cwd: root, maxBuffer: 64 * 1024 * 1024 })
  const packed: { name: string; filename: string }[] = Object.values(JSON.parse(stdout))
  const dependencies = Object.fromEntries(
    packed.map(({ name, filename }) => [name, `file:tarballs/${filename}`]),
  )
  writeFileSync(join(dir, 'package.json'), JSON.stringify({ private: true, type: 'module', dependencies }))
  await run('npm', ['install', '--offline', '--ignore-scripts', '--no-audit', '--no-fund'], { cwd: dir })
}
