import { createHash } from 'node:crypto'
import { defaultClientConditions, defineConfig, type Plugin } from 'vite'

const hash = (content: string): string => `'sha256-${createHash('sha256').update(content).digest('base64')}'`

/** Puts the script and the styles into the page, and forbids everything else: the page must not reach any network. */
const inlineEverything: Plugin = {
  name: 'inline-everything',
  enforce: 'post',
  generateBundle: (_options, bundle) => {
    let script = ''
    let styles = ''
    for (const [name, file] of Object.entries(bundle)) {
      // Within the page, this would end the script.
      if (file.type === 'chunk')
        script += file.code.replaceAll('</script', '<\\/script').replaceAll('<!--', '<\\!--')
      else if (name.endsWith('.css')) styles += String(file.source)
      if (!name.endsWith('.html')) delete bundle[name]
    }
    const page = bundle['trace.html']
    if (page?.type !== 'asset') throw new Error('The build has no trace.html.')
    const policy = [
      "default-src 'none'",
      `script-src ${hash(script)}`,
      `style-src ${hash(styles)}`,
      'img-src data:',
      "base-uri 'none'",
      "form-action 'none'",
      "require-trusted-types-for 'script'",
      "trusted-types 'none'",
    ].join('; ')
    const head = String(page.source).replace(/\s*<(?:script|link rel="stylesheet").*>(?:<\/script>)?/g, '')
    const parts = `<meta http-equiv="content-security-policy" content="${policy}">\n<style>${styles}</style>\n`
    // The script is last, so that it finds the trace, whose place is marked.
    page.source = head
      .replace('</head>', () => `${parts}</head>`)
      .replace('</body>', () => `<!--trace-->\n<script type="module">${script}</script>\n</body>`)
  },
}

export default defineConfig({
  root: import.meta.dirname,
  base: './',
  resolve: { conditions: ['@wabakit/source', ...defaultClientConditions] },
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  plugins: [inlineEverything],
  build: {
    outDir: '../server/dist/inspector',
    // The page of the server is there, too.
    emptyOutDir: false,
    target: 'es2023',
    assetsInlineLimit: Number.POSITIVE_INFINITY,
    modulePreload: false,
    cssCodeSplit: false,
    rolldownOptions: { input: `${import.meta.dirname}/trace.html`, output: { codeSplitting: false } },
  },
})
