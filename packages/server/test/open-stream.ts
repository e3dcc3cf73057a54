import { onTestFinished } from 'vitest'

/** A message of a stream. */
export type Message = {
  readonly event: string
  readonly id: string | undefined
  readonly data: Record<string, unknown>
}

const parse = (block: string): Message | undefined => {
  const fields = new Map(
    block.split('\n').map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 2)]),
  )
  const data = fields.get('data')
  return data === undefined
    ? undefined
    : { event: fields.get('event') ?? '', id: fields.get('id'), data: JSON.parse(data) }
}

/** Opens the organization's live stream and reads it message by message. */
export const openStream = async (
  { url }: { readonly url: string },
  query = '',
  headers: Record<string, string> = {},
) => {
  const stop = new AbortController()
  onTestFinished(() => stop.abort())
  const response = await fetch(`${url}/_wabakit/organizations/acme/stream${query}`, {
    headers,
    signal: stop.signal,
  })
  if (response.body === null) throw new Error('no body')
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader()
  let text = ''
  const next = async (): Promise<Message | undefined> => {
    for (;;) {
      const end = text.indexOf('\n\n')
      if (end !== -1) {
        const message = parse(text.slice(0, end))
        text = text.slice(end + 2)
        if (message !== undefined) return message
        continue
      }
      const { done, value } = await reader.read()
      if (done) return undefined
      text += value
    }
  }
  return { response, next, close: () => stop.abort() }
}
