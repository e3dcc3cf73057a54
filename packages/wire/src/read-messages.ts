/** A message of a stream of server-sent events. A client can resume the stream after the message with this `id`. */
export type StreamMessage = { readonly name: string; readonly id: string | undefined; readonly data: string }

const parseMessage = (block: string): StreamMessage | undefined => {
  // Only a line feed ends a line. In a multiline regular expression, `^` and `$` also match at U+2028.
  const lines = block.split('\n')
  const read = (field: string): string[] =>
    lines.filter((line) => line.startsWith(`${field}:`)).map((line) => line.replace(/^\w+: ?/, ''))
  const data = read('data')
  if (data.length === 0) return undefined
  return { name: read('event').at(-1) ?? 'message', id: read('id').at(-1), data: data.join('\n') }
}

/** Far longer than any message of the control API: 16 MiB. */
const maxLength = 16_777_216

/**
 * Reads the messages of a stream of server-sent events (HTML Standard, section 9.2.6) whose lines end with LF or CRLF, except
 * messages without data.
 *
 * @throws Error if a message, with what arrives in one chunk with its end, is longer than 16,777,216 characters, or if reading
 *   fails.
 * @param onChunk - called whenever data arrives, which may be part of a message, or a comment.
 */
export async function* readMessages(
  body: ReadableStream<Uint8Array> | null,
  onChunk: () => void = () => {},
): AsyncGenerator<StreamMessage> {
  const decoder = new TextDecoder()
  const reader = body?.getReader()
  try {
    // Parts of a message are joined when its end arrives. Searching all of them again for each part would take quadratic time.
    let parts: string[] = []
    let length = 0
    for (;;) {
      const { done, value } = (await reader?.read()) ?? { done: true }
      if (done) return
      onChunk()
      const text = decoder.decode(value, { stream: true }).replaceAll('\r', '')
      if (text === '') continue
      const isEnd = text.includes('\n\n') || (text.startsWith('\n') && parts.at(-1)?.endsWith('\n') === true)
      parts.push(text)
      length += text.length
      if (length > maxLength) throw new Error('A message of the stream exceeds 16,777,216 characters.')
      if (!isEnd) continue
      const blocks = parts.join('').split('\n\n')
      const rest = blocks.pop() ?? ''
      parts = [rest]
      length = rest.length
      for (const block of blocks) {
        const message = parseMessage(block)
        if (message !== undefined) yield message
      }
    }
  } finally {
    await reader?.cancel()
  }
}
