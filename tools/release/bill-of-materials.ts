import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Component, findForeignLicenses } from './licenses.ts'
import { readNpm, runNpm } from './npm.ts'
import { readManifest } from './packages.ts'

type Bom = { readonly metadata: { readonly component: Component }; readonly components: readonly Component[] }

const dropDevDependencies = (folder: string): void => {
  const file = join(folder, 'package.json')
  const { devDependencies: _, ...manifest } = JSON.parse(readFileSync(file, 'utf8'))
  writeFileSync(file, JSON.stringify(manifest))
}

/** npm names a repository's packages after their folders. */
const correctName = (component: Component): Component => ({
  ...component,
  name: component['bom-ref'].slice(0, component['bom-ref'].lastIndexOf('@')),
})

/**
 * Writes a CycloneDX list of the packages that our users install, and returns a sentence about it. It removes packages
 * that only developers install from the repository's copy, because `npm sbom --omit dev` also omits those that both
 * install.
 *
 * @throws Error if the license of a package is not one that we accept.
 */
export const writeBillOfMaterials = async (copy: string, file: string): Promise<string> => {
  for (const name of readdirSync(join(copy, 'packages'))) {
    const folder = join(copy, 'packages', name)
    if (readManifest(folder).private === true) rmSync(folder, { recursive: true })
    else dropDevDependencies(folder)
  }
  rmSync(join(copy, 'tools'), { recursive: true })
  dropDevDependencies(copy)
  await runNpm(['install', '--package-lock-only', '--offline', '--ignore-scripts'], copy)
  const bom = (await readNpm(['sbom', '--sbom-format', 'cyclonedx', '--package-lock-only'], copy)) as Bom
  const foreign = findForeignLicenses(bom.components)
  if (foreign.length > 0) throw new Error(`These licenses are not accepted:\n${foreign.join('\n')}`)
  const component = correctName(bom.metadata.component)
  const named = {
    ...bom,
    metadata: { ...bom.metadata, component },
    components: bom.components.map(correctName),
  }
  writeFileSync(file, JSON.stringify(named, undefined, 2))
  return `The bill of materials lists ${bom.components.length} packages. Their licenses are accepted.`
}
