import { useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { useMemo } from 'preact/hooks'
import { formatJson, reveal, showBody } from '../format/mask.ts'
import { masking } from '../state/settings.ts'
import { CopyButton } from './copy-button.tsx'

const tokens = /("(?:\\.|[^"\\])*")(\s*:)?|\b(?:true|false|null)\b|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g

/** Colors formatted JSON. No text in it is interpreted as markup. */
const colorJson = (json: string): ComponentChildren[] => {
  const parts: ComponentChildren[] = []
  let end = 0
  for (const match of json.matchAll(tokens)) {
    const [all, text, colon] = match
    parts.push(json.slice(end, match.index))
    end = match.index + all.length
    if (text === undefined) parts.push(<span class="literal">{all}</span>)
    else if (colon === undefined) parts.push(<span class="string">{text}</span>)
    else parts.push(<span class="field">{text}</span>, colon)
  }
  return [...parts, json.slice(end)]
}

/** Maximum number of characters to color. Each colored value is an element, and thousands of elements take seconds. */
const maxColored = 30_000
/** Number of lines in each part of a long text. The browser lays out only the visible parts. */
const partLines = 200

const splitLines = (text: string): string[] => {
  const lines = text === '' ? [] : text.split('\n')
  const parts: string[] = []
  for (let from = 0; from < lines.length; from += partLines) {
    parts.push(lines.slice(from, from + partLines).join('\n'))
  }
  return parts
}

export const BodyView = ({ text, label }: { readonly text: string; readonly label: string }) => {
  const isRaw = useSignal(false)
  const isMasked = masking.value
  const { json, raw } = useMemo(() => ({ json: formatJson(text), raw: showBody(text) }), [text, isMasked])
  const isColored = json !== undefined && !isRaw.value
  const body = reveal(isColored ? json : raw)
  const end = isColored && body.length > maxColored ? body.lastIndexOf('\n', maxColored) : body.length
  return (
    <section class="payload" aria-label={label}>
      <header>
        <h3>{label}</h3>
        {json !== undefined && (
          <button
            type="button"
            class="link"
            aria-pressed={isRaw.value}
            onClick={() => (isRaw.value = !isRaw.value)}
          >
            {isRaw.value ? 'Formatted' : 'Raw'}
          </button>
        )}
        <CopyButton text={raw} label={`Copy the ${label.toLowerCase()}`} />
      </header>
      <pre class="code" tabIndex={0}>
        {isColored ? colorJson(body.slice(0, end)) : body.slice(0, end)}
        {splitLines(body.slice(end)).map((part, index) => (
          <div key={index} class="part">
            {part}
          </div>
        ))}
      </pre>
    </section>
  )
}
