import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { expect, test } from 'vitest'
import { codeBlocks, listTests, shares } from './code-blocks.ts'

const root = resolve(import.meta.dirname, '..')

test('each code block of a page is run by a test', () => {
  const missed = codeBlocks.filter((block) => listTests(block).length === 0)
  expect(missed.map(({ page, line, language }) => `${page}:${line} ${language}`)).toEqual([])
  expect(codeBlocks.length).toBeGreaterThan(200)
})

test.each(Object.entries(shares))('%s runs what it has: blocks of each page that it names', (file, list) => {
  const source = readFileSync(resolve(root, file), 'utf8')
  const blocks = codeBlocks.filter((block) => listTests(block).includes(file))
  for (const [language, page] of list) {
    const own = blocks.filter(
      (block) => [block.page, '*'].includes(page) && [block.language, '*'].includes(language),
    )
    expect(own, page).not.toEqual([])
    const marks = ['takeBlocks(import.meta.filename', page.replace('docs/', ''), `'${language}'`]
    expect(
      marks.some((mark) => source.includes(mark)),
      `${page} in ${file}`,
    ).toBe(true)
  }
})
