import { copyFileSync, readFileSync } from 'node:fs'
import { defineConfig, type HeadConfig } from 'vitepress'
import { toAnchor } from '../../tools/release/links.ts'
import { drawCheckboxes } from './checkboxes.ts'
import { drawDiagrams } from './diagrams.ts'
import { buildSidebar } from './guides.ts'
import { resolveLinks } from './links.ts'
import { writeLlmsFiles } from './llms.ts'
import { referenceSidebar } from './reference.ts'
import { resolveVue } from './resolve-vue.ts'
import { excluded, toRoute } from './routes.ts'

const manifest = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'))
const repository: string = manifest.repository.url.replace(/^git\+|\.git$/g, '')

const { version } = JSON.parse(
  readFileSync(new URL('../../packages/wabakit/package.json', import.meta.url), 'utf8'),
)

const icon =
  'data:image/svg+xml,<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><rect width="16" height="16" rx="4" fill="%233451b2"/><path d="M3 5l2 6 3-5 3 5 2-6" fill="none" stroke="white" stroke-width="1.5"/></svg>'

const name = 'wabakit'
const description =
  'Typed client, webhook receiver and test mock for a WhatsApp Business API that creates groups and summarizes calls'

/** Where the site is published. Previews and the sitemap need whole addresses. */
const site = process.env.SITE_URL ?? 'https://wabakit.github.io'

const front = {
  layout: 'home',
  hero: {
    name,
    text: 'WhatsApp groups and call summaries, typed and tested',
    tagline: `${description}.`,
    actions: [
      { theme: 'brand', text: 'Five-minute start', link: '/start' },
      { theme: 'alt', text: 'API reference', link: '/api/' },
      { theme: 'alt', text: 'GitHub', link: repository },
    ],
  },
}

/** The first paragraph of a page, as plain text. */
const readDescription = (file: string): string | undefined =>
  readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8')
    .match(/^# .*\n+(?:```[\s\S]*?```\n+)?([A-Z`].*(?:\n[^\n]+)*)/m)?.[1]
    ?.replaceAll(/\[([^\]]+)\]\([^)]*\)/g, '$1')
    .replaceAll(/[`*]/g, '')
    .replaceAll('\n', ' ')
    .slice(0, 300)

export default defineConfig({
  title: name,
  description,
  lang: 'en-US',
  head: [['link', { rel: 'icon', href: icon }]],
  srcDir: '..',
  srcExclude: excluded,
  cleanUrls: true,
  // Otherwise each page contains the sidebars of all.
  metaChunk: true,
  lastUpdated: false,
  sitemap: { hostname: site },
  rewrites: toRoute,
  vite: { plugins: [resolveVue] },
  markdown: {
    anchor: { slugify: toAnchor },
    // The default ones have comments and keywords below AA.
    theme: { light: 'github-light-high-contrast', dark: 'github-dark-default' },
    languageAlias: { promql: 'sql' },
    // Lines that a busy machine does not finish within the usual limit would have no colors.
    shikiSetup: (highlighter) => {
      const { codeToHtml } = highlighter
      highlighter.codeToHtml = (code, options) => codeToHtml(code, { ...options, tokenizeTimeLimit: 0 })
    },
    config: (markdown) => {
      resolveLinks(markdown, repository)
      drawDiagrams(markdown)
      drawCheckboxes(markdown)
    },
  },
  transformPageData: ({ relativePath, filePath, frontmatter }) =>
    relativePath === 'index.md'
      ? { frontmatter: { ...frontmatter, ...front } }
      : {
          description: readDescription(filePath) ?? description,
          // Pages of the reference are generated.
          frontmatter: { ...frontmatter, editLink: !relativePath.startsWith('api/') },
        },
  transformHead: ({ page, pageData, title, description: about }) => {
    const path = page.replace(/(?:(^|\/)index)?\.md$/, '$1')
    const previews = {
      'og:type': 'website',
      'og:site_name': name,
      'og:title': title,
      'og:description': about,
      'og:url': `${site}/${path}`,
      'og:image': `${site}/preview.png`,
      'twitter:card': 'summary_large_image',
    }
    return pageData.isNotFound
      ? []
      : [
          ['link', { rel: 'alternate', type: 'text/markdown', href: `/${page}` }],
          ...Object.entries(previews).map(
            ([property, content]): HeadConfig => ['meta', { property, content }],
          ),
        ]
  },
  buildEnd: ({ outDir, pages }) => {
    writeLlmsFiles(outDir, { repository, pages })
    copyFileSync(new URL('../images/inspector-light.png', import.meta.url), `${outDir}/preview.png`)
  },
  themeConfig: {
    search: {
      provider: 'local',
      options: {
        // What embeds the service or the schemas knows where to look. Others would only find these first.
        _render: (source, env, markdown) =>
          /^docs\/api\/(?:@wabakit\/core|wabakit\/(?:core|contract))/.test(env.relativePath)
            ? ''
            : markdown.render(source, env),
        miniSearch: {
          // Guides first: a page of the reference names little but what it describes, and would always win.
          searchOptions: {
            combineWith: 'AND',
            // A question finds what its other words find.
            processTerm: (term) =>
              /^(?:how|what|where|when|why|do|does|can|is|are|i|my|we|it|a|an|the|to|of|in|on|for|with|and)$/i.test(
                term,
              )
                ? null
                : term.toLowerCase(),
            boostDocument: (id) => {
              const page = String(id)
              if (/^\/(?:api\/|decisions\/|contributing|reference\/commands)/.test(page)) return 0.2
              if (page.startsWith('/examples/receivers')) return 3
              return page.startsWith('/start') ? 1.5 : 1
            },
          },
        },
      },
    },
    nav: [
      { text: 'Guides', link: '/start', activeMatch: '^/(?!api/|decisions/|playground)' },
      { text: 'Playground', link: '/playground' },
      { text: 'API reference', link: '/api/', activeMatch: '^/api/' },
      { text: 'Decisions', link: '/decisions/' },
      { text: version, link: `${repository}/releases` },
    ],
    sidebar: { '/api/': referenceSidebar, '/': buildSidebar() },
    outline: [2, 3],
    socialLinks: [{ icon: 'github', link: repository }],
    editLink: {
      pattern: `${repository}/edit/main/:path`,
      text: 'Edit this page',
    },
    docFooter: { prev: 'Previous', next: 'Next' },
  },
})
