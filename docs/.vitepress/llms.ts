import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { readSections } from './guides.ts'
import { resolveLink, toRoute } from './routes.ts'

const root = new URL('../../', import.meta.url)

/** Reads a page as it is on the site: its links lead to other pages of the site. */
const readPage = (file: string, repository: string): string =>
  readFileSync(new URL(file, root), 'utf8').replaceAll(
    /\]\(([^)\s]+)\)/g,
    (_, href) => `](${resolveLink(href, file, repository)})`,
  )

/**
 * Writes the guides for programs: `llms.txt` lists them, `llms-full.txt` contains all, and each is next to its page as
 * Markdown.
 */
export const writeLlmsFiles = (folder: string, repository: string): void => {
  const sections = readSections()
  const index = sections.map(({ title, guides }) => {
    const lines = guides.map((guide) => `- [${guide.title}](/${toRoute(guide.file)}): ${guide.about}`)
    return `## ${title}\n\n${lines.join('\n')}\n`
  })
  const [heading = '', about = ''] = readFileSync(new URL('docs/README.md', root), 'utf8').split('\n\n')
  writeFileSync(
    join(folder, 'llms.txt'),
    `${heading}\n\n> ${about.replaceAll('\n', '\n> ')}\n\n${index.join('\n')}`,
  )
  const pages = sections.flatMap(({ guides }) =>
    guides.map(({ file }) => {
      const page = readPage(file, repository)
      mkdirSync(dirname(join(folder, toRoute(file))), { recursive: true })
      writeFileSync(join(folder, toRoute(file)), page)
      return page
    }),
  )
  writeFileSync(join(folder, 'llms-full.txt'), pages.join('\n\n---\n\n'))
}
