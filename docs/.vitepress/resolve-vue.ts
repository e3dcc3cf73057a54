import { fileURLToPath } from 'node:url'
import type { Plugin } from 'vitepress'

const here = fileURLToPath(import.meta.url)

/** Lets pages outside of this folder find Vue, which is only installed here. */
export const resolveVue: Plugin = {
  name: 'resolve-vue',
  enforce: 'pre',
  resolveId(source, _importer, options) {
    if (!/^vue(?:$|\/)/.test(source)) return undefined
    return options.ssr
      ? { id: source, external: true }
      : this.resolve(source, here, { ...options, skipSelf: true })
  },
}
