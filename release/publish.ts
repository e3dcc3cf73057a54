import { join } from 'node:path'
import { runNpm } from './npm.ts'
import type { Tarball } from './pack.ts'

const isPublished = (specifier: string): Promise<boolean> =>
  runNpm(['view', specifier, 'version'], '.').then(
    (printed) => printed.trim() !== '',
    (error: Error) => {
      if (error.message.includes('E404')) return false
      throw error
    },
  )

/**
 * Publishes tarballs in the given order, with a statement of where and from what they were built. It can be repeated: what
 * is published already is left alone.
 */
export const publishTarballs = async (tarballs: readonly Tarball[], folder: string): Promise<void> => {
  for (const { manifest, filename } of tarballs) {
    const specifier = `${manifest.name}@${manifest.version}`
    if (await isPublished(specifier)) {
      console.log(`${specifier} is published already.`)
      continue
    }
    await runNpm(['publish', join(folder, filename), '--provenance', '--access', 'public'], '.')
    console.log(`Published ${specifier}.`)
  }
}
