import { readFileSync } from 'node:fs'
import { defineConfig } from 'vitepress'
import { toAnchor } from '../../release/links.ts'
import { drawDiagrams } from './diagrams.ts'
import { buildSidebar } from './guides.ts'
import { resolveLinks } from './links.ts'
import { writeLlmsFiles } from './llms.ts'
import { buildReferenceSidebars } from './reference.ts'
import { resolveVue } from './resolve-vue.ts'
import { excluded, toRoute } from './routes.ts'

const manifest = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'))
const repository: string = manifest.repository.url.replace(/^git\+|\.git$/g, '')

const icon =
  'data:image/svg+xml,<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><rect width="16" height="16" rx="4" fill="%233451b2"/><path d="M3 5l2 6 3-5 3 5 2-6" fill="none" stroke="white" stroke-width="1.5"/></svg>'

const front = {
  layout: 'home',
  hero: {
    name: 'wabakit',
    text: 'WhatsApp groups and call summaries, typed and tested',
    tagline:
      'A typed client, a webhook receiver that rejects forgeries, and the vendor’s server in your test suite.',
    actions: [
      { theme: 'brand', text: 'Five-minute start', link: '/start' },
      { theme: 'alt', text: 'API reference', link: '/api/' },
      { theme: 'alt', text: 'GitHub', link: repository },
    ],
  },
  features: [
    {
      title: 'Send',
      details: 'Input is validated, errors are typed, and a retry never creates a second group.',
      link: '/packages/client',
    },
    {
      title: 'Receive',
      details: 'Each webhook is verified, deduplicated and typed before your handler runs.',
      link: '/packages/webhooks',
    },
    {
      title: 'Test',
      details: 'The vendor in your test suite: signed webhooks, virtual time, faults.',
      link: '/testing',
    },
    {
      title: 'Run',
      details: 'The service itself on SQLite or PostgreSQL, with a command line.',
      link: '/running-the-server',
    },
  ],
}

export default defineConfig({
  title: 'wabakit',
  description:
    'Typed client, webhook receiver and mock for a WhatsApp Business API that creates groups and summarizes calls',
  lang: 'en-US',
  head: [['link', { rel: 'icon', href: icon }]],
  srcDir: '..',
  srcExclude: excluded,
  cleanUrls: true,
  // Otherwise each page contains the sidebars of all.
  metaChunk: true,
  lastUpdated: false,
  rewrites: toRoute,
  vite: { plugins: [resolveVue] },
  markdown: {
    anchor: { slugify: toAnchor },
    theme: { light: 'github-light', dark: 'github-dark' },
    languageAlias: { promql: 'sql' },
    config: (markdown) => {
      resolveLinks(markdown, repository)
      drawDiagrams(markdown)
    },
  },
  transformPageData: (page) =>
    page.relativePath === 'index.md' ? { frontmatter: { ...page.frontmatter, ...front } } : undefined,
  buildEnd: ({ outDir }) => writeLlmsFiles(outDir, repository),
  themeConfig: {
    search: {
      provider: 'local',
      options: {
        miniSearch: {
          // Guides first: a page of the reference names little but what it describes, and would always win.
          searchOptions: { boostDocument: (id) => (/^\/(?:api|decisions)\//.test(String(id)) ? 0.3 : 1) },
        },
      },
    },
    nav: [
      { text: 'Guides', link: '/start', activeMatch: '^/(?!api/|decisions/)' },
      { text: 'API reference', link: '/api/', activeMatch: '^/api/' },
      { text: 'Decisions', link: '/decisions/' },
    ],
    sidebar: { ...buildReferenceSidebars(), '/': buildSidebar() },
    outline: [2, 3],
    socialLinks: [{ icon: 'github', link: repository }],
    docFooter: { prev: 'Previous', next: 'Next' },
  },
})
