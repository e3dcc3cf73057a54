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

/** Writes the site for programs: `llms.txt` lists the guides, `llms-full.txt` contains them, and each page is there as Markdown, too. */
export const writeLlmsFiles = (
  folder: string,
  { repository, pages }: { readonly repository: string; readonly pages: readonly string[] },
): void => {
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
  for (const file of pages) {
    const target = join(folder, toRoute(file))
    mkdirSync(dirname(target), { recursive: true })
    writeFileSync(target, readPage(file, repository))
  }
  const guides = sections.flatMap((section) => section.guides.map(({ file }) => readPage(file, repository)))
  writeFileSync(join(folder, 'llms-full.txt'), guides.join('\n\n---\n\n'))
}
