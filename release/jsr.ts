import { writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { listPackages, type Package } from './packages.ts'

// JSR publishes sources. `npm run version` writes the manifests that it needs: `node release/jsr.ts`.

/** These run in any runtime, and declare the types of all exports. */
const names = ['@wabakit/wire', '@wabakit/client', '@wabakit/webhooks']

/** Returns the source that an entry of `exports` or `imports` names, in a runtime without Node's conditions. */
const findSource = (target: unknown): string | undefined => {
  if (typeof target === 'string') return target
  const { '@wabakit/source': source, default: fallback } = Object(target)
  return findSource(source ?? fallback)
}

const mapSources = (entries: Readonly<Record<string, unknown>>): [name: string, source: string][] =>
  Object.entries(entries).flatMap(([name, target]): [string, string][] => {
    const source = findSource(target)
    return source?.startsWith('./src/') ? [[name, source]] : []
  })

/** Builds the `jsr.json` of a package from its `package.json`. */
export const buildJsrManifest = ({ manifest }: Package): object => {
  const { name, version, license, exports = {}, imports = {}, dependencies = {} } = manifest
  const libraries = Object.entries(dependencies).map(([library, range]) => [
    library,
    library.startsWith('@wabakit/') ? `jsr:${library}@^${range}` : `npm:${library}@${range}`,
  ])
  return {
    name,
    version,
    license,
    exports: Object.fromEntries(mapSources(exports)),
    imports: Object.fromEntries([...libraries, ...mapSources(imports)]),
    publish: {
      include: ['src/**/*.ts', 'package.json', 'README.md', 'LICENSE', 'CHANGELOG.md'],
      exclude: ['src/**/*.test.ts', 'src/**/*.test-d.ts'],
    },
  }
}

/** Lists the packages that JSR can publish. */
export const listJsrPackages = (root: string): Package[] =>
  listPackages(root).filter(({ manifest }) => names.includes(manifest.name))

if (import.meta.main) {
  for (const each of listJsrPackages(resolve(import.meta.dirname, '..')))
    writeFileSync(join(each.folder, 'jsr.json'), `${JSON.stringify(buildJsrManifest(each), null, 2)}\n`)
}
