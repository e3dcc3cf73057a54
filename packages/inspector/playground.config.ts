import { defaultClientConditions, defineConfig } from 'vite'

const docs = `${import.meta.dirname}/../../docs`

/** Builds what the site's playground embeds: this page, together with the service that responds to it. */
export default defineConfig({
  root: `${docs}/playground`,
  base: './',
  resolve: { conditions: ['@wabakit/source', ...defaultClientConditions] },
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  build: {
    // The page finds its views below this path.
    outDir: `${docs}/.vitepress/dist/_wabakit/inspector`,
    emptyOutDir: true,
    target: 'es2023',
    // The content security policy forbids inlined files.
    assetsInlineLimit: 0,
    modulePreload: false,
  },
})
