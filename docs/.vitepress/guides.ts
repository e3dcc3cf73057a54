import { globSync, readFileSync } from 'node:fs'
import { toRoute } from './routes.ts'

const root = new URL('../../', import.meta.url)

/** A page that the front page lists. */
export type Guide = { readonly title: string; readonly file: string; readonly about: string }

/** A section of the front page. */
export type Section = { readonly title: string; readonly guides: readonly Guide[] }

const readGuides = (section: string): Guide[] =>
  [...section.matchAll(/^- \[([^\]]+)\]\(([^)#]+\.md)(?:#[^)]*)?\):? ?(.*)$/gm)].map(
    ([, title = '', path = '', about = '']) => ({
      title,
      file: new URL(path, 'file:///docs/').pathname.slice(1),
      about,
    }),
  )

/** Reads the sections and pages that `docs/README.md` lists: the front page, the sidebar and `llms.txt` have the same. */
export const readSections = (): Section[] => {
  const page = readFileSync(new URL('../README.md', import.meta.url), 'utf8')
  return page
    .split(/^## /m)
    .slice(1)
    .map((section) => ({ title: section.slice(0, section.indexOf('\n')), guides: readGuides(section) }))
    .filter(({ guides }) => guides.length > 0)
}

const toItem = (title: string, file: string) => ({
  text: title,
  link: `/${toRoute(file).replace(/(?:index)?\.md$/, '')}`,
})

/** Finds pages in `docs/` that the front page does not list. */
const findOthers = (listed: readonly string[]): string[] =>
  globSync('{,reference/,internals/}*.md', { cwd: new URL('..', import.meta.url) })
    .map((name) => `docs/${name}`)
    .filter((file) => file !== 'docs/README.md' && !listed.includes(file))

const readTitle = (file: string): string =>
  /^# (.*)$/m.exec(readFileSync(new URL(file, root), 'utf8'))?.[1] ?? file

/** Builds the sidebar of the guides. */
export const buildSidebar = () => {
  const sections = readSections()
  const others = findOthers(sections.flatMap(({ guides }) => guides.map(({ file }) => file)))
  const more = { text: 'More', items: others.map((file) => toItem(readTitle(file), file)) }
  const listed = sections.map(({ title, guides }) => ({
    text: title,
    items: guides.map((guide) => toItem(guide.title, guide.file)),
  }))
  return others.length === 0 ? listed : [...listed, more]
}
