import { defaultClientConditions, defineConfig } from 'vite'

/** The server to which `npm run dev` forwards requests. */
const server = 'http://127.0.0.1:4100'

export default defineConfig(({ command }) => ({
  root: import.meta.dirname,
  // Relative, because a proxy may add a prefix to the path.
  base: command === 'build' ? './' : '/_wabakit/inspector/',
  resolve: { conditions: ['@wabakit/source', ...defaultClientConditions] },
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  build: {
    // The server ships and serves these files.
    outDir: '../server/dist/inspector',
    emptyOutDir: true,
    target: 'es2023',
    // The content security policy forbids inlined files.
    assetsInlineLimit: 0,
    modulePreload: false,
  },
  server: { proxy: { '^/_wabakit/(?!inspector)': server } },
}))
