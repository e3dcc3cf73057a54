import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** The parts of a package.json that a release depends on. */
export type Manifest = {
  readonly name: string
  readonly version: string
  readonly private?: boolean
  readonly license?: string
  readonly homepage?: string
  readonly bugs?: string
  readonly repository?: { readonly type: string; readonly url: string; readonly directory?: string }
  readonly engines?: { readonly node?: string }
  readonly exports?: Readonly<Record<string, string | Readonly<Record<string, string>>>>
  readonly imports?: Readonly<Record<string, unknown>>
  readonly bin?: Readonly<Record<string, string>>
  readonly scripts?: Readonly<Record<string, string>>
  readonly dependencies?: Readonly<Record<string, string>>
}

/** A package that is published, and its folder. */
export type Package = { readonly folder: string; readonly manifest: Manifest }

/** Reads the package.json of a folder. */
export const readManifest = (folder: string): Manifest =>
  JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))

/** Lists the packages of a repository that are published, each after those that it depends on. */
export const listPackages = (root: string): Package[] => {
  const packages = readdirSync(join(root, 'packages'))
    .map((name) => join(root, 'packages', name))
    .filter((folder) => existsSync(join(folder, 'package.json')))
    .map((folder) => ({ folder, manifest: readManifest(folder) }))
    .filter(({ manifest }) => manifest.private !== true)
  const sorted: Package[] = []
  const visit = (each: Package): void => {
    if (sorted.includes(each)) return
    for (const name of Object.keys(each.manifest.dependencies ?? {})) {
      const dependency = packages.find(({ manifest }) => manifest.name === name)
      if (dependency) visit(dependency)
    }
    sorted.push(each)
  }
  for (const each of packages) visit(each)
  return sorted
}
