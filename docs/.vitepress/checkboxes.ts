import type { MarkdownRenderer } from 'vitepress'

/** Draws the `[ ]` of a checklist, as GitHub does. */
export const drawCheckboxes = (markdown: MarkdownRenderer): void => {
  markdown.core.ruler.after('inline', 'checkboxes', ({ tokens }) => {
    for (const { children } of tokens) {
      const first = children?.[0]
      if (first?.content.startsWith('[ ] ')) first.content = first.content.replace('[ ]', '☐')
    }
  })
}
