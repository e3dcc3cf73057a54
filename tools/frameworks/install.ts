import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { ensureBuilt, listPublishedPackages, packFolders } from '../packed/packed.ts'
import { readManifest } from '../release/packages.ts'

const run = promisify(execFile)
const root = resolve(import.meta.dirname, '../..')

const hash = (...parts: (string | Buffer)[]): string => {
  const sum = createHash('sha256')
  for (const part of parts) sum.update(part)
  return sum.digest('hex').slice(0, 16)
}

// It is outside the repository, so that no import resolves to the repository's node_modules. It is kept, so
// that the next run installs only changes.
const cache = join(tmpdir(), `wabakit-examples-${hash(root)}`)

/** Packs the published packages. Returns the dependencies that install them. The path of a tarball changes with its content. */
export const packPackages = async (): Promise<Record<string, string>> => {
  await ensureBuilt()
  const all = join(cache, 'tarballs')
  mkdirSync(all, { recursive: true })
  const fresh = mkdtempSync(join(cache, 'fresh-'))
  process.once('exit', () => rmSync(fresh, { recursive: true, force: true }))
  process.once('SIGINT', () => process.exit(130)).once('SIGTERM', () => process.exit(143))
  const folders = listPublishedPackages()
  await packFolders(folders, fresh)
  const tarballs = readdirSync(fresh).map((file) => join(fresh, file))
  const packed = join(all, hash(...tarballs.map((file) => readFileSync(file))))
  for (const each of readdirSync(all))
    if (each !== basename(packed)) rmSync(join(all, each), { recursive: true, force: true })
  try {
    renameSync(fresh, packed)
  } catch (error) {
    // An earlier run has packed the same, or another one that runs now.
    if (!existsSync(packed)) throw error
  }
  const find = (name: string) =>
    readdirSync(packed).find((file) => file.startsWith(`${name.replace('@', '').replace('/', '-')}-0`))
  return Object.fromEntries(
    folders.map((folder) => {
      const { name } = readManifest(folder)
      return [name, `file:${join(packed, find(name) ?? name)}`]
    }),
  )
}

/** Copies an example and installs what it depends on, with the packed packages. Returns the folder. */
export const installExample = async (name: string, packages: Record<string, string>): Promise<string> => {
  const example = join(root, 'examples', name)
  const folder = join(cache, name)
  mkdirSync(folder, { recursive: true })
  for (const file of readdirSync(folder)) {
    if (file !== 'node_modules' && file !== 'package-lock.json' && file !== 'installed.json')
      rmSync(join(folder, file), { recursive: true })
  }
  cpSync(example, folder, { recursive: true, filter: (path) => basename(path) !== 'node_modules' })
  const manifest = JSON.parse(readFileSync(join(example, 'package.json'), 'utf8'))
  const complete = JSON.stringify({
    ...manifest,
    dependencies: { ...manifest.dependencies, ...packages },
  })
  writeFileSync(join(folder, 'package.json'), complete)
  const stamp = join(folder, 'installed.json')
  if (!existsSync(stamp) || readFileSync(stamp, 'utf8') !== complete) {
    await run('npm', ['install', '--prefer-offline', '--no-audit', '--no-fund'], { cwd: folder })
    writeFileSync(stamp, complete)
  }
  return folder
}

/** Returns the installed version of a package. */
export const readVersion = (folder: string, name: string): string =>
  name === 'node' ? process.versions.node : readManifest(join(folder, 'node_modules', name)).version
