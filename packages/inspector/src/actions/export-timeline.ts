import type { Timeline } from '@wabakit/server/control-types'
import { perform } from '../api/reload.ts'
import { formatPage } from '../format/page.ts'
import { theme } from '../state/settings.ts'

/** Saves text as a file. */
export const download = (
  name: string,
  { text, type }: { readonly text: string; readonly type: string },
): void => {
  const url = URL.createObjectURL(new Blob([text], { type }))
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
  URL.revokeObjectURL(url)
}

const getFileName = ({ subject }: Timeline): string => subject.replace(/[^\w.-]+/g, '-')

/** Saves the timeline as a single page that needs neither a server nor scripts. */
export const exportPage = (timeline: Timeline): Promise<boolean> =>
  perform(async () => {
    const drawing = document.querySelector('.lanes')?.outerHTML ?? ''
    const css = await Promise.all(
      [...document.styleSheets].map(async ({ href }) => (href === null ? '' : (await fetch(href)).text())),
    )
    const text = formatPage(timeline, { drawing, css: css.join('\n'), theme: theme.value })
    download(`${getFileName(timeline)}.html`, { text, type: 'text/html' })
    return 'Exported. The file opens without a server.'
  })
