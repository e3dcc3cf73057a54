import { mkdir, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { loadPage, pagePackage } from '../control/serve-page.ts'
import { MockUsageError } from '../errors.ts'

const missing = `The viewer of traces is part of ${pagePackage}, which is not installed. Run: npm install --save-dev ${pagePackage}`

/**
 * Writes a trace as a file that contains its viewer.
 *
 * @param from - the package with the viewer.
 * @throws MockUsageError if the viewer is not installed.
 */
export const writeTrace = async (path: string, trace: string, from: string = pagePackage): Promise<void> => {
  const page = await loadPage(from)
  if (page === undefined) throw new MockUsageError(missing.replaceAll(pagePackage, from))
  const compressed = await promisify(gzip)(trace, { level: 9 })
  const html = await page.createTracePage(compressed.toString('base64'))
  await mkdir(dirname(resolve(path)), { recursive: true })
  await writeFile(path, html)
}

/** Returns the path of a file in the folder of traces. */
export const toTracePath = (name: string, folder: string | undefined): string =>
  resolve(folder ?? join(tmpdir(), 'wabakit-traces'), name)
