import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { runNpm } from './npm.ts'

// `npm run release:publish` publishes the tarballs that `npm run release -- --final` has built and checked, with a
// statement of their provenance. It needs no installed packages. It can be repeated: versions that are already
// published are skipped.

/** A package to publish. Each is listed after those that it depends on. */
type Listed = { readonly name: string; readonly version: string; readonly filename: string }

const isPublished = (specifier: string): Promise<boolean> =>
  runNpm(['view', specifier, 'version'], '.').then(
    (printed) => printed.trim() !== '',
    (error: Error) => {
      if (error.message.includes('E404')) return false
      throw error
    },
  )

const [folder = '.release'] = process.argv.slice(2)
const listed: readonly Listed[] = JSON.parse(readFileSync(join(folder, 'tarballs.json'), 'utf8'))
for (const { name, version, filename } of listed) {
  const specifier = `${name}@${version}`
  if (await isPublished(specifier)) {
    console.log(`${specifier} is already published.`)
    continue
  }
  await runNpm(['publish', join(folder, filename), '--provenance', '--access', 'public'], '.')
  console.log(`Published ${specifier}.`)
}
