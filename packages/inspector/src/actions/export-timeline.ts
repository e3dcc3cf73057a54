import type { Timeline, TimelineEntry } from '@wabakit/server/control-types'
import { perform } from '../api/reload.ts'
import { download } from '../components/download.ts'
import { showBody } from '../format/mask.ts'
import { formatFull } from '../format/time.ts'
import { theme } from '../state/settings.ts'

/** Escapes text for HTML. */
const toText = (text: string): string => text.replace(/[&<>"']/g, (each) => `&#${each.charCodeAt(0)};`)

const describe = (entry: TimelineEntry): [what: string, detail: string] => {
  switch (entry.kind) {
    case 'request':
      return [`${entry.request.method} ${entry.request.path}`, String(entry.request.status ?? 'no response')]
    case 'change':
      return ['state', entry.state]
    case 'event':
      return [entry.event.name, showBody(entry.event.payload)]
    case 'attempt': {
      const { number, url, status, error, responseBody } = entry.attempt
      return [
        `${entry.eventName}, attempt ${number}`,
        `${url}: ${status ?? error} ${showBody(responseBody ?? '')}`,
      ]
    }
    case 'finished':
      return [entry.eventName, entry.status]
    case 'next_attempt':
      return [entry.eventName, `attempt ${entry.number} is due`]
    default:
      return entry satisfies never
  }
}

/** The markup of the drawn timeline, and the styles of the page. */
type PageParts = { readonly drawing: string; readonly css: string }

/** Formats a timeline as an HTML file without scripts. The entries follow the drawing as text. */
const formatPage = ({ subject, now, entries }: Timeline, { drawing, css }: PageParts): string => {
  const rows = entries.map((entry) => {
    const [what, detail] = describe(entry)
    const marks = entry.marks.map(({ text }) => text).join(' ')
    return `<tr><td>${toText(formatFull(entry.at))}</td><td>${toText(what)}</td><td>${toText(`${detail} ${marks}`)}</td></tr>`
  })
  return `<!doctype html>
<html lang="en" data-theme="${toText(theme.value)}">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="content-security-policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>${toText(subject)}</title>
<style>${css.replaceAll('</', '<\\/')}
html, body { height: auto }
body { padding: 24px }
table { width: 100%; margin-top: 24px; border-collapse: collapse }
td { padding: 4px 16px 4px 0; border-bottom: 1px solid var(--line); vertical-align: top; overflow-wrap: anywhere }
td:first-child { white-space: nowrap }
</style>
<h1>${toText(subject)}</h1>
<p class="quiet">Exported at ${toText(formatFull(now))}</p>
<div class="timeline">${drawing}</div>
<table>${rows.join('\n')}</table>
</html>
`
}

/** Saves the timeline as a page that needs neither a server nor scripts. */
export const exportPage = (timeline: Timeline): Promise<void> =>
  perform(async () => {
    const drawing = document.querySelector('.lanes')?.outerHTML ?? ''
    const css = await Promise.all(
      [...document.styleSheets].map(async ({ href }) => (href === null ? '' : (await fetch(href)).text())),
    )
    const html = formatPage(timeline, { drawing, css: css.join('\n') })
    download(`${timeline.subject.replace(/[^\w.-]+/g, '-')}.html`, html, 'text/html')
  }, 'Exported. The file opens without a server.')
