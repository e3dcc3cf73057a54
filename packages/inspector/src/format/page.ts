import type { Timeline, TimelineEntry } from '@wabakit/server/control-types'
import { showBody } from './mask.ts'
import { formatFull } from './time.ts'

const escapes: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

const toText = (text: string): string => text.replace(/[&<>"']/g, (character) => escapes[character] ?? '')

const describe = (entry: TimelineEntry): [what: string, detail: string] => {
  switch (entry.kind) {
    case 'request':
      return [`${entry.request.method} ${entry.request.path}`, String(entry.request.status)]
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

type PageParts = {
  /** The timeline's markup, as serialized by the browser. */
  readonly drawing: string
  readonly css: string
  readonly theme: string
}

/** Formats a timeline as one HTML file without scripts, with every entry listed as text below the drawing. */
export const formatPage = (
  { subject, now, entries }: Timeline,
  { drawing, css, theme }: PageParts,
): string => {
  const rows = entries.map((entry) => {
    const [what, detail] = describe(entry)
    const marks = entry.marks.map(({ text }) => text).join(' ')
    return `<tr><td>${toText(formatFull(entry.at))}</td><td>${toText(what)}</td><td>${toText(`${detail} ${marks}`)}</td></tr>`
  })
  return `<!doctype html>
<html lang="en" data-theme="${toText(theme)}">
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
