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

/** Draws Mermaid diagrams while the site is built. GitHub draws the same blocks itself. */
export const drawDiagrams = (markdown: MarkdownRenderer): void => {
  const { fence } = markdown.renderer.rules
  markdown.renderer.rules.fence = (tokens, index, ...rest) => {
    const { info = '', content = '' } = tokens[index] ?? {}
    if (info !== 'mermaid') return fence?.(tokens, index, ...rest) ?? ''
    // Without a font from elsewhere.
    const drawn = renderMermaidSVG(content, colors)
      .replaceAll(/@import url\([^)]*\);/g, '')
      .replaceAll(/font-family:[^;]*/g, 'font-family: inherit')
    // As a string: Vue leaves a `<style>` out of templates, and then finds that the page differs from what was built.
    return `<div class="diagram" v-html="${markdown.utils.escapeHtml(JSON.stringify(drawn))}"></div>`
  }
}
