import { readFileSync } from 'node:fs'

/** A page of the reference, or a group of pages, as typedoc writes it. `path` is relative to the reference. */
type Entry = { readonly title: string; readonly path?: string; readonly children?: readonly Entry[] }

const toItem = ({ title, path, children }: Entry): object => ({
  text: title,
  ...(path !== undefined && { link: `/api/${path.replace(/\.md$/, '')}` }),
  ...(children !== undefined && { collapsed: true, items: children.map(toItem) }),
})

/** Our own import paths first: they are what people install. */
const entries: Entry[] = JSON.parse(
  readFileSync(new URL('../api/navigation.json', import.meta.url), 'utf8'),
).toSorted(
  (left: Entry, right: Entry) => Number(left.title.startsWith('@')) - Number(right.title.startsWith('@')),
)

/** The sidebar of the API reference: import paths, and the exports that have their own page. */
export const referenceSidebar = [{ text: 'API reference', link: '/api/', items: entries.map(toItem) }]
