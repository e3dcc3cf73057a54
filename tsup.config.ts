import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { defineConfig, type Options } from 'tsup'

/** Of their manifest, the sources read the version, some also the homepage, and a command also the oldest Node.js. */
export const bundleLittleOfManifest: NonNullable<Options['esbuildPlugins']>[number] = {
  name: 'bundle-little-of-manifest',
  setup: ({ onLoad }) => {
    onLoad({ filter: /package\.json$/ }, ({ path }) => {
      const { name, version, homepage, bin, engines } = JSON.parse(readFileSync(path, 'utf8'))
      const read = { version, ...(name !== '@wabakit/client' && { homepage }), ...(bin && { engines }) }
      return { contents: JSON.stringify(read), loader: 'json' }
    })
  },
}

type Exports = Record<string, string | Record<string, string>>

/** One build per published package. Its entries are the sources that its own `exports` and `imports` name. */
const builds = readdirSync('packages').flatMap((name): Options[] => {
  const dir = `packages/${name}`
  if (!existsSync(`${dir}/package.json`)) return []
  const manifest: { private?: boolean; exports?: Exports; imports?: Exports; bin?: Record<string, string> } =
    JSON.parse(readFileSync(`${dir}/package.json`, 'utf8'))
  if (manifest.private) return []
  const bins = Object.values(manifest.bin ?? {}).map((file) =>
    file.replace('./dist/', './src/').replace(/\.js$/, '.ts'),
  )
  const named = JSON.stringify([manifest.exports, manifest.imports]).match(/\.\/src\/[\w./-]+?\.ts/g) ?? []
  const names = [...new Set([...named, ...bins])].map((source) =>
    source.slice('./src/'.length, -'.ts'.length),
  )
  const locate = (format: (name: string) => string) =>
    Object.fromEntries(names.map((each) => [each, format(each)]))
  return [
    {
      name,
      entry: locate((each) => `${dir}/src/${each}.ts`),
      outDir: `${dir}/dist`,
      format: 'esm',
      platform: 'neutral',
      target: 'es2023',
      // From those that `npm run build` has written for each source. `wabakit` has its own (tools/release/declarations.ts).
      dts: name !== 'wabakit' && { entry: locate((each) => `.tmp/declarations/${name}/src/${each}.d.ts`) },
      sourcemap: true,
      // The sources are in the package: the maps name them and need no copies.
      esbuildOptions: (options) => {
        options.sourcesContent = false
      },
      clean: true,
      esbuildPlugins: [bundleLittleOfManifest],
      // Without this, tsup reads the externals from the root manifest and would inline zod and the siblings.
      skipNodeModulesBundle: true,
      // `node:sqlite` exists with its prefix only.
      removeNodeProtocol: false,
    },
  ]
})

export default defineConfig(builds)
