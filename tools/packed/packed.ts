import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { readManifest } from '../release/packages.ts'

const run = promisify(execFile)
const root = resolve(import.meta.dirname, '../..')

/** Lists the folders of the published packages. */
export const listPublishedPackages = (): string[] =>
  readdirSync(join(root, 'packages'))
    .map((name) => join(root, 'packages', name))
    .filter((dir) => existsSync(join(dir, 'package.json')) && readManifest(dir).private !== true)

/** Subpaths that need an optional peer, which users install themselves. */
const optional = ['msw', 'vitest'].flatMap((peer) => [`wabakit/mock/${peer}`, `@wabakit/mock/${peer}`])

/** Lists what can be imported from the published packages. */
export const listSpecifiers = (): string[] =>
  listPublishedPackages().flatMap((dir) => {
    const { name, exports = {} } = readManifest(dir)
    return Object.keys(exports)
      .filter((subpath) => !subpath.endsWith('.json'))
      .map((subpath) => name + subpath.slice(1))
      .filter((specifier) => !optional.includes(specifier))
  })

const isBuilt = (dir: string): boolean => {
  // The last file that a build writes.
  if (!existsSync(join(dir, 'dist/index.d.cts'))) return false
  const built = statSync(join(dir, 'dist/index.d.cts')).mtimeMs
  return globSync('src/**/*.ts', { cwd: dir }).every((file) => statSync(join(dir, file)).mtimeMs <= built)
}

/** Returns whether the server ships a page built from the current sources. */
export const isPageBuilt = (): boolean => {
  // The viewer of traces is built last, and has the core in it.
  const page = join(root, 'packages/server/dist/inspector/trace.html')
  const sources = globSync('packages/{inspector,server,core,contract,webhooks,wire}/src/**/*.*', {
    cwd: root,
  })
  return (
    existsSync(page) && sources.every((file) => statSync(join(root, file)).mtimeMs <= statSync(page).mtimeMs)
  )
}

/** The folder of a release, whose tarballs are used instead of ours. */
const released = process.env.WABAKIT_RELEASE

/** Builds all packages, unless every build is newer than its sources, or a release is used instead. */
export const ensureBuilt = async (): Promise<void> => {
  if (released !== undefined) return
  if (listPublishedPackages().every(isBuilt) && isPageBuilt()) return
  await run('npm', ['run', '--silent', 'build'], { cwd: root })
}

/** A third-party package that another package depends on, and its folder. */
type Need = { readonly by: string; readonly name: string; readonly folder: string }

/** Lists the direct and indirect third-party dependencies of the published packages. */
const listThirdParty = (): Need[] => {
  const needs: Need[] = []
  const visit = (dir: string): void => {
    const { name: by, dependencies = {} } = readManifest(dir)
    for (const name of Object.keys(dependencies)) {
      if (name === 'wabakit' || name.startsWith('@wabakit/')) continue
      const nested = join(dir, 'node_modules', name)
      const folder = existsSync(nested) ? nested : join(root, 'node_modules', name)
      const isNew = needs.every((need) => need.folder !== folder)
      needs.push({ by, name, folder })
      if (isNew) visit(folder)
    }
  }
  for (const dir of listPublishedPackages()) visit(dir)
  return needs
}

/** Returns the file name of a package's tarball. */
const formatFile = (dir: string): string => {
  const { name, version } = readManifest(dir)
  return `${name.replace('@', '').replace('/', '-')}-${version}.tgz`
}

/** Copies one of our tarballs from a release that `npm run release` has written. */
const takeReleased = (dir: string, { from, destination }: { from: string; destination: string }): void => {
  const start = formatFile(dir).slice(0, -`${readManifest(dir).version}.tgz`.length)
  const [found] = globSync(`${start}[0-9]*.tgz`, { cwd: from })
  if (found === undefined) throw new Error(`${from} has no tarball ${start}*. Run: npm run release`)
  cpSync(join(from, found), join(destination, formatFile(dir)))
}

/**
 * Packs packages into a folder. If `WABAKIT_RELEASE` names the folder of a release, our packages come from that
 * release.
 */
export const packFolders = async (folders: readonly string[], destination: string): Promise<void> => {
  const taken = released === undefined ? [] : listPublishedPackages().filter((dir) => folders.includes(dir))
  for (const dir of taken) takeReleased(dir, { from: resolve(root, released ?? ''), destination })
  const others = folders.filter((dir) => !taken.includes(dir))
  // Without a folder, npm would pack the repository.
  if (others.length === 0) return
  await run('npm', ['pack', '--ignore-scripts', '--silent', '--pack-destination', destination, ...others], {
    cwd: root,
    maxBuffer: 64 * 1024 * 1024,
  })
}

/** Returns the specifier of a package's tarball in a manifest. */
const formatTarball = (dir: string): string => `file:tarballs/${formatFile(dir)}`

const packAndInstall = async (dir: string): Promise<void> => {
  await ensureBuilt()
  const tarballs = join(dir, 'tarballs')
  mkdirSync(tarballs, { recursive: true })
  const needs = listThirdParty()
  const folders = [...new Set([...listPublishedPackages(), ...needs.map(({ folder }) => folder)])]
  await packFolders(folders, tarballs)
  const dependencies: Record<string, string> = {}
  for (const folder of folders) dependencies[readManifest(folder).name] ??= formatTarball(folder)
  const overrides: Record<string, Record<string, string>> = {}
  for (const { by, name, folder } of needs) {
    if (dependencies[name] !== formatTarball(folder))
      overrides[by] = { ...overrides[by], [name]: formatTarball(folder) }
  }
  const manifest = { private: true, type: 'module', dependencies, overrides }
  writeFileSync(join(dir, 'package.json'), JSON.stringify(manifest))
  await run('npm', ['install', '--offline', '--ignore-scripts', '--no-audit', '--no-fund'], { cwd: dir })
}

const hashTarballs = (folder: string): string => {
  const sum = createHash('sha256')
  for (const file of globSync('*.tgz', { cwd: folder }).sort()) sum.update(readFileSync(join(folder, file)))
  return sum.digest('hex').slice(0, 16)
}

/** Installs the release that `WABAKIT_RELEASE` names, unless it is installed already. Returns the folder, which `npm ci` removes. */
export const installRelease = async (): Promise<string> => {
  if (released === undefined) throw new Error('Name the folder of a release: WABAKIT_RELEASE=.release')
  const installed = join(root, 'node_modules/.cache/wabakit-packed', hashTarballs(resolve(root, released)))
  if (existsSync(installed)) return installed
  const unfinished = `${installed}-${process.pid}`
  await packAndInstall(unfinished)
  try {
    renameSync(unfinished, installed)
  } catch (error) {
    // Another process was faster.
    if (!existsSync(installed)) throw error
    rmSync(unfinished, { recursive: true })
  }
  return installed
}

/**
 * Installs the tarballs of all packages into `dir` with npm, as a user would, but offline: third-party packages are packed
 * from this installation. If one is installed here in two versions, an override gives the second to its dependents.
 * A release is installed once, and then copied.
 */
export const installPacked = async (dir: string): Promise<void> => {
  if (released === undefined) return await packAndInstall(dir)
  cpSync(await installRelease(), dir, { recursive: true, verbatimSymlinks: true })
}
