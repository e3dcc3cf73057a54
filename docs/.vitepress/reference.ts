import tree from '../api/typedoc-sidebar.json' with { type: 'json' }

type Item = {
  readonly text: string
  readonly link?: string
  readonly collapsed?: boolean
  readonly items?: Item[]
}

/** A module lists its kinds of exports, and the modules whose paths start with its own. */
const listModules = (items: readonly Item[]): Item[] =>
  items.flatMap((item) => {
    if (item.link === undefined || !item.link.endsWith('/')) return []
    const inner = item.items ?? []
    const name = decodeURI(item.link).slice('/api/'.length, -1)
    return [{ ...item, text: name, items: inner.filter(({ link }) => !link) }, ...listModules(inner)]
  })

const modules = listModules(tree)

/** Our own import path first: it is what people install. */
const paths = modules
  .map(({ text, link }) => ({ text, link }))
  .toSorted((left, right) => Number(left.text.startsWith('@')) - Number(right.text.startsWith('@')))

/**
 * Builds the sidebars of the API reference: all import paths, and what the one that is shown exports. With all exports, each of
 * its pages would weigh 350 kB.
 */
export const buildReferenceSidebars = (): Record<string, Item[]> =>
  Object.fromEntries([
    ['/api/', [{ text: 'Import paths', items: paths }]],
    ...modules.map(({ text, link = '', items = [] }) => [
      link,
      [
        { text, items: [{ text: 'Overview', link }, ...items] },
        { text: 'Import paths', collapsed: true, items: paths },
      ],
    ]),
  ])
