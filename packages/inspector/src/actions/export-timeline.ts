import type { Timeline } from '../api/types.ts'
import { loadRequest } from '../detail/load-request.ts'
import { formatHar } from '../format/har.ts'
import { formatPage } from '../format/page.ts'
import { download } from './download.ts'
import { perform } from './perform.ts'

const getFileName = ({ subject }: Timeline): string => subject.replace(/[^\w.-]+/g, '-')

/** Saves the timeline as one page that needs neither a server nor scripts. */
export const exportPage = (timeline: Timeline): Promise<boolean> =>
  perform(async () => {
    const drawing = document.querySelector('.lanes')?.outerHTML ?? ''
    const css = [...document.styleSheets].flatMap(({ cssRules }) => [...cssRules].map((rule) => rule.cssText))
    const text = formatPage(timeline, { drawing, css: css.join('\n') })
    download(`${getFileName(timeline)}.html`, { text, type: 'text/html' })
    return 'Exported. The file opens without a server.'
  })

/** Saves all API requests and attempts for tools that read HTTP archives. */
export const exportHar = (timeline: Timeline): Promise<boolean> =>
  perform(async () => {
    const requests = await Promise.all(
      timeline.entries.map((entry) =>
        entry.kind === 'attempt'
          ? loadRequest(entry.deliveryId, entry.attempt.number).catch(() => undefined)
          : undefined,
      ),
    )
    const text = JSON.stringify(formatHar(timeline, requests), null, 2)
    download(`${getFileName(timeline)}.har`, { text, type: 'application/json' })
    return 'Exported as HAR.'
  })
