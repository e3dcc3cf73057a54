import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** Returns the id that GitHub gives a heading. */
export const toAnchor = (heading: string): string =>
  heading
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replaceAll(/\s/g, '-')

const listAnchors = (page: string): string[] =>
  [...page.replaceAll(/^```[\s\S]*?^```/gm, '').matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) =>
    toAnchor(heading),
  )

/**
 * Finds the links of a page that do not work where it is published: relative links, and links to files that do not
 * exist.
 */
export const findBrokenLinks = (page: string, repository: { root: string; url: string }): string[] => {
  const prefix = `${repository.url}/blob/main/`
  const targets = [...page.replaceAll(/^```[\s\S]*?^```/gm, '').matchAll(/\]\(([^)\s]+)\)/g)].map(
    ([, target = '']) => target,
  )
  return targets.filter((target) => {
    if (target.startsWith('#')) return !listAnchors(page).includes(target.slice(1))
    if (!target.startsWith('https://')) return true
    if (!target.startsWith(prefix)) return false
    const [path = '', anchor] = target.slice(prefix.length).split('#')
    const file = join(repository.root, path)
    if (!existsSync(file)) return true
    return anchor !== undefined && !listAnchors(readFileSync(file, 'utf8')).includes(anchor)
  })
}
