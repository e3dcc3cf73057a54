import { resolve } from 'node:path'
import { expect, test } from 'vitest'
import { formatPage, readResults } from './results.ts'

// `npx vitest run tools/matrix -u` writes the page after a change to a package's engines.
test('docs/reference/compatibility.md shows the committed results of the matrix', async () => {
  const page = resolve(import.meta.dirname, '../../docs/reference/compatibility.md')
  await expect(formatPage(readResults())).toMatchFileSnapshot(page)
})
