import { importPaths } from '../typedoc.config.js'

/** Our own import paths first: they are what people install. */
const items = importPaths
  .map(({ path }) => ({ text: path, link: `/api/${path}` }))
  .toSorted((left, right) => Number(left.text.startsWith('@')) - Number(right.text.startsWith('@')))

/** The sidebar of the API reference: one page per import path. The outline of a page lists its exports. */
export const referenceSidebar = [{ text: 'API reference', link: '/api/', items }]
