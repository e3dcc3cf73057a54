import { registerHooks } from 'node:module'

/** A string in a source file and its replacement. */
export type Edit = readonly [from: string, to: string]

/** Edits the server's sources as they are loaded. Sources are identified by the ends of their paths. */
export const editSources = (files: Readonly<Record<string, readonly Edit[]>>): void => {
  registerHooks({
    load: (url, context, nextLoad) => {
      const loaded = nextLoad(url, context)
      const edits = Object.entries(files).find(([file]) => url.endsWith(file))?.[1]
      if (edits === undefined) return loaded
      let source = String(loaded.source)
      for (const [from, to] of edits) {
        if (!source.includes(from)) throw new Error(`${url} has no ${from}`)
        source = source.replace(from, () => to)
      }
      return { ...loaded, source }
    },
  })
}
