import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { expect, test } from 'vitest'
import { frameworks } from './frameworks.ts'
import { formatPage, readFiles, readResults } from './page.ts'

const root = resolve(import.meta.dirname, '../..')
const squash = (code: string): string => code.replaceAll(/\s+/g, '')

// `npx vitest run tools/frameworks -u` writes the page after a change to an example.
test('docs/reference/frameworks.md shows the examples, and the committed results of their run', async () => {
  await expect(formatPage(readResults())).toMatchFileSnapshot(resolve(root, 'docs/reference/frameworks.md'))
})

test("every line of framework code in the receiver's README is part of an example", () => {
  const readme = readFileSync(resolve(root, 'packages/webhooks/README.md'), 'utf8')
  const [, table = ''] = /\| framework \| code \|\n\|---\|---\|\n((?:\|.*\|\n)+)/.exec(readme) ?? []
  const rows = [...table.matchAll(/^\| (.*?) \| `(.*)`.* \|$/gm)]
  const missing = rows.flatMap(([, names = '', code = '']) =>
    [...names.matchAll(/examples\/([\w-]+)\)/g)].flatMap(([, example]) => {
      const framework = frameworks.find((each) => each.example === example)
      const files = framework ? readFiles(framework) : []
      return files.some(([, source]) => squash(source).includes(squash(code))) ? [] : [`${example}: ${code}`]
    }),
  )
  expect(rows.length).toBeGreaterThan(10)
  expect(missing).toEqual([])
})
