import { posix } from 'node:path'

/** What is not a page of the site, although it is Markdown. */
export const excluded = [
  '!(CONTRIBUTING|SECURITY).md',
  '{release,coverage}/**',
  'examples/!(receivers)/**',
  'examples/*.md',
  'examples/receivers/*/**',
  'packages/*/!(README).md',
  'packages/*/*/**',
]

/** Returns the page of the site that a file of the repository becomes, such as `decisions/index.md`. */
export const toRoute = (file: string): string =>
  file
    .replace(/^docs\//, '')
    .replace(/^packages\/([\w-]+)\/README\.md$/, 'packages/$1.md')
    .replace(/(^|\/)README\.md$/, '$1index.md')
    .replace(/^[A-Z]+\.md$/, (name) => name.toLowerCase())

const isPage = (file: string): boolean =>
  /^(?:docs\/.*\.md|(?:packages\/[\w-]+|examples\/receivers)\/README\.md|(?:CONTRIBUTING|SECURITY)\.md)$/.test(
    file,
  )

/**
 * Returns where a link of a page leads on the site. The same link works on GitHub: it names a file, relative to the page or
 * in the repository. What is not a page of the site is shown in the repository.
 */
export const resolveLink = (href: string, page: string, repository: string): string => {
  const isAbsolute = /^[a-z]+:/.test(href)
  const prefix = `${repository}/blob/main/`
  if (href.startsWith('#') || (isAbsolute && !href.startsWith(prefix) && href !== `${repository}#readme`))
    return href
  if (href === `${repository}#readme` || href === '../README.md') return '/'
  const [path = '', anchor] = (isAbsolute ? href.slice(prefix.length) : href).split('#')
  const file = isAbsolute ? path : posix.join(posix.dirname(page), path)
  const suffix = anchor === undefined ? '' : `#${anchor}`
  if (!isPage(file)) return `${repository}/blob/main/${file}${suffix}`
  return `/${toRoute(file).replace(/(?:^|(?<=\/))index\.md$|\.md$/, '')}${suffix}`
}
