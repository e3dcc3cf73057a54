import type { ComponentChildren } from 'preact'
import { showBody, showJson } from '../format/mask.ts'

const tokens = /("(?:\\.|[^"\\])*")(\s*:)?|\b(?:true|false|null)\b|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g

/** Colors the parts of formatted JSON. Texts stay texts: nothing becomes markup. */
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

/** A text as JSON with indentation, or `undefined` if it is not JSON. */
export const formatJson = (text: string): string | undefined => {
  try {
    return JSON.stringify(showJson(JSON.parse(text)), null, 2)
  } catch {
    return undefined
  }
}

type JsonViewProps = { readonly text: string /** Shows the text as it is. */; readonly isRaw?: boolean }

/** A text, formatted and colored if it is JSON. */
export const JsonView = ({ text, isRaw = false }: JsonViewProps) => {
  const json = isRaw ? undefined : formatJson(text)
  return (
    <pre class="code" tabIndex={0}>
      {json === undefined ? showBody(text) : colorJson(json)}
    </pre>
  )
}
