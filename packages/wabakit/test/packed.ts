import { execFile } from 'node:child_process'
import { existsSync, globSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)
const root = resolve(import.meta.dirname, '../../..')

type Manifest = { name: string; version: string; private?: boolean; dependencies?: Record<string, string> }

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

/** A third-party package where somebody needs it: who, what, and the folder that it is installed in. */
type Need = { readonly by: string; readonly name: string; readonly folder: string }

/** The third-party packages that the published ones need, however deep. */
const thirdParty = (): Need[] => {
  const needs: Need[] = []
  const visit = (dir: string): void => {
    const { name: by, dependencies = {} } = manifestOf(dir)
    for (const name of Object.keys(dependencies)) {
      if (name === 'wabakit' || name.startsWith('@wabakit/')) continue
      const nested = join(dir, 'node_modules', name)
      const folder = existsSync(nested) ? nested : join(root, 'node_modules', name)
      const isNew = needs.every((need) => need.folder !== folder)
      needs.push({ by, name, folder })
      if (isNew) visit(folder)
    }
  }
  for (const dir of publishedPackages()) visit(dir)
  return needs
}

/** Where `npm pack` puts a package, as a dependency. */
const tarballOf = (dir: string): string => {
  const { name, version } = manifestOf(dir)
  return `file:tarballs/${name.replace('@', '').replace('/', '-')}-${version}.tgz`
}

/**
 * Installs the packed tarballs of all packages into `dir` with npm itself, as a user would, but without a network:
 * third-party packages come as tarballs of what is installed here. Of one that is here in two versions, the second goes
 * to those who need it.
 */
export const installPacked = async (dir: string): Promise<void> => {
  await ensureBuilt()
  const tarballs = join(dir, 'tarballs')
  mkdirSync(tarballs, { recursive: true })
  const needs = thirdParty()
  const folders = [...new Set([...publishedPackages(), ...needs.map(({ folder }) => folder)])]
  await run('npm', ['pack', '--ignore-scripts', '--silent', '--pack-destination', tarballs, ...folders], {
    cwd: root,
    maxBuffer: 64 * 1024 * 1024,
  })
  const dependencies: Record<string, string> = {}
  for (const folder of folders) dependencies[manifestOf(folder).name] ??= tarballOf(folder)
  const overrides: Record<string, Record<string, string>> = {}
  for (const { by, name, folder } of needs) {
    if (dependencies[name] !== tarballOf(folder))
      overrides[by] = { ...overrides[by], [name]: tarballOf(folder) }
  }
  const manifest = { private: true, type: 'module', dependencies, overrides }
  writeFileSync(join(dir, 'package.json'), JSON.stringify(manifest))
  await run('npm', ['install', '--offline', '--ignore-scripts', '--no-audit', '--no-fund'], { cwd: dir })
}
