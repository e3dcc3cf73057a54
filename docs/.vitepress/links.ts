import { fileURLToPath } from 'node:url'
import type { MarkdownRenderer } from 'vitepress'
import { resolveLink } from './routes.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))

/** Makes links between files of the repository links between pages of the site. */
export const resolveLinks = (markdown: MarkdownRenderer, repository: string): void => {
  markdown.core.ruler.push('resolve-links', ({ tokens, env }) => {
    const page: string = (env.realPath ?? env.path).replaceAll('\\', '/').slice(root.length)
    for (const token of tokens.flatMap(({ children }) => children ?? [])) {
      const href = token.type === 'link_open' ? token.attrGet('href') : null
      if (href !== null) token.attrSet('href', resolveLink(href, page, repository))
    }
  })
}
