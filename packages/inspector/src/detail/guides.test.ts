import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { toAnchor } from '../../../../tools/release/links.ts'
import { guides } from './guides.ts'

test.each(Object.entries(guides))('the guide to %s exists: %s', (_cause, guide) => {
  const [page = '', anchor] = guide.split('#')
  const text = readFileSync(new URL(`../../../../docs/${page}.md`, import.meta.url), 'utf8')
  const anchors = [...text.matchAll(/^#+ (.*)$/gm)].map(([, title = '']) => toAnchor(title))
  if (anchor !== undefined) expect(anchors).toContain(anchor)
})
