import { renderMermaidSVG } from 'beautiful-mermaid'
import type { MarkdownRenderer } from 'vitepress'

/** The colors of the theme, so that diagrams follow dark mode. */
const colors = {
  bg: 'var(--vp-c-bg)',
  fg: 'var(--vp-c-text-1)',
  line: 'var(--vp-c-text-3)',
  accent: 'var(--vp-c-brand-1)',
  muted: 'var(--vp-c-text-2)',
  surface: 'var(--vp-c-bg-soft)',
  border: 'var(--vp-c-divider)',
  transparent: true,
}

/** Words of the syntax, which are not drawn. */
const keywords = /^(?:flowchart|subgraph|end|sequenceDiagram|participant|Note|over|stateDiagram|direction)$/

/** Expects the words and arrows of a diagram in its drawing, because the library leaves out what it cannot read. */
const assertComplete = (diagram: string, drawing: string): void => {
  const drawn = drawing.replaceAll(/<style.*?<\/style>|<[^>]*>|\W/gs, '').toLowerCase()
  const words = diagram.match(/[a-z]\w{2,}/gi) ?? []
  const missing = words.filter((word) => !keywords.test(word) && !drawn.includes(word.toLowerCase()))
  if (missing.length > 0) throw new Error(`A diagram is drawn without the words ${missing.join(', ')}.`)
  const [arrows, drawnArrows] = [diagram.match(/^.*(?:>|-\)).*$/gm), drawing.match(/marker-end/g)]
  if (arrows?.length !== drawnArrows?.length)
    throw new Error(`Of ${arrows?.length} arrows of a diagram, ${drawnArrows?.length} are drawn.`)
}

/** Draws Mermaid diagrams while the site is built. GitHub draws the same blocks itself. */
export const drawDiagrams = (markdown: MarkdownRenderer): void => {
  const { fence } = markdown.renderer.rules
  markdown.renderer.rules.fence = (tokens, index, ...rest) => {
    const { info = '', content = '' } = tokens[index] ?? {}
    if (info !== 'mermaid') return fence?.(tokens, index, ...rest) ?? ''
    // Without a font from elsewhere.
    const svg = renderMermaidSVG(content, colors)
    assertComplete(content, svg)
    const drawn = svg
      .replaceAll(/@import url\([^)]*\);/g, '')
      .replaceAll(/font-family:[^;]*/g, 'font-family: inherit')
    // As a string: Vue leaves a `<style>` out of templates, and then finds that the page differs from what was built.
    return `<div class="diagram" v-html="${markdown.utils.escapeHtml(JSON.stringify(drawn))}"></div>`
  }
}
