import { resolve } from 'node:path'
import { expect, test } from 'vitest'
import { formatGoalsPage, formatPage } from '../src/performance-page.ts'
import { readResults } from '../src/result.ts'

test('docs/reference/performance.md shows the committed results of the benchmarks', async () => {
  const page = resolve(import.meta.dirname, '../../../docs/reference/performance.md')
  await expect(formatPage(readResults())).toMatchFileSnapshot(page)
})

test('GOALS.md shows which goals the committed results meet', async () => {
  await expect(formatGoalsPage(readResults())).toMatchFileSnapshot('../GOALS.md')
})
