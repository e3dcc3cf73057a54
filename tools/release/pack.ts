import { runNpm } from './npm.ts'
import { listPackages, type Package } from './packages.ts'

/** A package as it is published: its files, and its sizes in bytes. */
export type Tarball = Package & {
  readonly filename: string
  readonly size: number
  readonly unpackedSize: number
  readonly files: readonly string[]
}

type Packed = {
  readonly name: string
  readonly filename: string
  readonly size: number
  readonly unpackedSize: number
  readonly files: readonly { readonly path: string }[]
}

/** Packs all packages of a repository as they are built, in the order in which they can be published. */
export const packPackages = async (root: string, destination: string): Promise<Tarball[]> => {
  const packages = listPackages(root)
  const folders = packages.map(({ folder }) => folder)
  const printed = await runNpm(
    ['pack', '--json', '--ignore-scripts', '--pack-destination', destination, ...folders],
    root,
  )
  const packed = Object.values<Packed>(JSON.parse(printed))
  return packages.flatMap((each) =>
    packed
      .filter(({ name }) => name === each.manifest.name)
      .map((found) => ({ ...each, ...found, files: found.files.map(({ path }) => path) })),
  )
}
