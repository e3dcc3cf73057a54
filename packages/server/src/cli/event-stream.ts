/** One message of a server-sent event stream. */
export type StreamMessage = {
  readonly name: string
  /** Where to resume after this message; `undefined` for a message that is no place to resume at. */
  readonly id: string | undefined
  readonly data: string
}

const parse = (block: string): StreamMessage | undefined => {
  const fields = new Map<string, string[]>()
  for (const line of block.split('\n')) {
    const [, field, value] = /^([a-z]+): ?(.*)$/.exec(line) ?? []
    if (field !== undefined && value !== undefined) fields.set(field, [...(fields.get(field) ?? []), value])
  }
  const data = fields.get('data')?.join('\n')
  if (data === undefined) return undefined
  return { name: fields.get('event')?.at(-1) ?? 'message', id: fields.get('id')?.at(-1), data }
}

/** The messages of a `text/event-stream` body, as they arrive. */
export async function* readEventStream(body: ReadableStream<Uint8Array>): AsyncGenerator<StreamMessage> {
  let pending = ''
  for await (const text of body.pipeThrough(
    new TextDecoderStream() as ReadableWritablePair<string, Uint8Array>,
  )) {
    pending += text.replaceAll('\r', '')
    const blocks = pending.split('\n\n')
    pending = blocks.pop() ?? ''
    for (const block of blocks) {
      const message = parse(block)
      if (message !== undefined) yield message
    }
  }
}
