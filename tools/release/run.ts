import { execFileSync } from 'node:child_process'
import { globSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { auditSignatures } from './audit-signatures.ts'
import { writeBillOfMaterials } from './bill-of-materials.ts'
import { checkTarballs } from './check-tarballs.ts'
import { copyRepository } from './copy-repository.ts'
import { lintTarballs } from './lint-tarballs.ts'
import { lockServer } from './lock-server.ts'
import { runNpm } from './npm.ts'
import { packPackages, type Tarball } from './pack.ts'

// Builds, checks and packs the packages in a copy of the repository: `npm run release` shows what would be published,
// and `npm run release -- --final` builds what `npm run release:publish` publishes. The tarballs, the image's project
// and the bill of materials are written to `.release/`.
const root = resolve(import.meta.dirname, '../..')
const destination = join(root, '.release')
const { final } = parseArgs({ options: { final: { type: 'boolean', default: false } } }).values

const hasChangesets = globSync('.changeset/*.md', { cwd: root }).length > 0

const checkCommitted = (): void => {
  const status = execFileSync('git', ['status', '--porcelain'], { cwd: root, encoding: 'utf8' })
  if (status !== '') throw new Error(`Commit or remove these files first:\n${status}`)
  if (hasChangesets)
    throw new Error('There are changesets. Run "npm run version", merge the result, and publish that.')
}

const build = async (copy: string): Promise<Tarball[]> => {
  // Does not update the copy's lockfile, because the registry does not use it.
  if (hasChangesets) await runNpm(['exec', '--', 'changeset', 'version'], copy)
  await runNpm(['run', 'build'], copy)
  const tarballs = await packPackages(copy, destination)
  await lintTarballs(tarballs, { root, folder: destination })
  if (!checkTarballs(tarballs, copy)) throw new Error('The tarballs are not fit to publish. See above.')
  return tarballs
}

const copy = mkdtempSync(join(tmpdir(), 'wabakit-release-'))
try {
  if (final) checkCommitted()
  rmSync(destination, { recursive: true, force: true })
  mkdirSync(destination)
  copyRepository(root, copy)
  const tarballs = await build(copy)
  console.log(await writeBillOfMaterials(copy, join(destination, 'sbom.cdx.json')))
  console.log(await auditSignatures(root, final))
  await lockServer(tarballs, { root, folder: destination })
  const listed = tarballs.map(({ manifest: { name, version }, filename }) => ({ name, version, filename }))
  writeFileSync(join(destination, 'tarballs.json'), `${JSON.stringify(listed, null, 2)}\n`)
  if (!final) console.log('This was a dry run. The tarballs are in .release/.')
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 1
} finally {
  rmSync(copy, { recursive: true, force: true })
}
