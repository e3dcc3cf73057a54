import { globSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

// Checks the built site: each link leads to a page, and to a heading of it. VitePress checks pages only.
const dist = fileURLToPath(new URL('dist', import.meta.url))
const pages = new Map<string, string>(
  globSync('**/*.html', { cwd: dist }).map((file) => {
    const html = readFileSync(`${dist}/${file}`, 'utf8')
    return [`/${file.replaceAll('\\', '/').replace(/(?:(?<=^|\/)index)?\.html$/, '')}`, html]
  }),
)

const readIds = (html: string): Set<string> =>
  new Set([...html.matchAll(/\s(?:id|name)="([^"]+)"/g)].map(([, id = '']) => id))
const ids = new Map([...pages].map(([path, html]) => [path, readIds(html)] as const))

if (pages.size === 0) throw new Error('There is no site. Run: npm run docs')

const broken = [...pages].flatMap(([path, html]) =>
  [...html.matchAll(/<a\s[^>]*href="([^"]+)"/g)].flatMap(([, href = '']) => {
    const { origin, pathname, hash } = new URL(href.replaceAll('&amp;', '&'), `https://site.invalid${path}`)
    if (origin !== 'https://site.invalid' || /\.(?:md|txt)$/.test(pathname)) return []
    const found = ids.get(decodeURIComponent(pathname))
    const anchor = decodeURIComponent(hash.slice(1))
    return found && (anchor === '' || found.has(anchor)) ? [] : [`${path} links to ${href}`]
  }),
)
if (broken.length > 0) throw new Error(`The site has broken links:\n${[...new Set(broken)].join('\n')}`)
console.log(`All links between ${pages.size} pages lead somewhere.`)
