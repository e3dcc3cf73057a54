import { PageEvent, PageKind, Slugger } from 'typedoc'
import { ModuleRouter } from 'typedoc-plugin-markdown'

/** The import paths whose exports have a page each, because one page for all of them is too long to read. */
const split = ['wabakit', 'wabakit/webhooks', 'wabakit/mock']

/** Puts each export of these import paths on its own page, and all exports of another one on a single page. */
class ExportRouter extends ModuleRouter {
  /**
   * @override
   * @param {import('typedoc').Reflection} reflection
   * @param {import('typedoc').PageDefinition[]} pages
   */
  buildChildPages(reflection, pages) {
    const isExport = split.includes(reflection.parent?.name ?? '') && this.getPageKind(reflection)
    if (!isExport) return super.buildChildPages(reflection, pages)
    const url = this.getFileName(this.getIdealBaseName(reflection))
    this.fullUrls.set(reflection, url)
    this.sluggers.set(reflection, new Slugger(this.sluggerConfiguration))
    pages.push({ kind: PageKind.Reflection, model: reflection, url })
    reflection.traverse((child) => {
      this.buildAnchors(child, reflection)
      return true
    })
  }
}

/** @param {import('typedoc').Application} app */
export const load = (app) => {
  app.renderer.defineRouter('export', ExportRouter)
  app.renderer.on(PageEvent.END, (page) => {
    if (!split.includes(page.model.name) || page.contents === undefined) return
    page.contents = page.contents
      // The list of exports has the first sentence about each. The rest is on its page.
      .replaceAll(/^(\| \[\w+\]\(\S+\) \| .*?\.) .* \|$/gm, '$1 |')
      // Names of other import paths take a line, not a section each.
      .replaceAll(/^### \w+\n\nRe-exports (\[\w+\]\(\S+\))(?:\n\n\*\*\*)?\n+/gm, '- $1\n')
  })
}
