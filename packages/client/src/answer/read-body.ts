/** Largest body of a success, in bytes: many times a summary. */
export const successBodyLimit = 1_048_576
/** How much is read of any other body, in bytes. */
export const errorBodyLimit = 65_536

/** A body as far as it came. */
export type ReadBody = {
  readonly text: string
  /** Why the rest is missing: the limit was reached, or reading failed with `error`. */
  readonly cut?: 'limit' | { readonly error: unknown }
}

/**
 * Reads a body as UTF-8 text, at most `limit` bytes of it; what comes after is not waited for, and its connection
 * is closed. Ends early when the signal of the attempt aborts, even if the stream takes no notice. Never rejects.
 */
export const readBody = async (response: Response, limit: number, signal: AbortSignal): Promise<ReadBody> => {
  if (response.body === null) return { text: '' }
  const reader: ReadableStreamDefaultReader<Uint8Array> = response.body.getReader()
  const stop = () => void reader.cancel().catch(() => {})
  signal.addEventListener('abort', stop)
  const decoder = new TextDecoder()
  let text = ''
  let room = limit
  try {
    for (;;) {
      const { done, value } = await reader.read()
      signal.throwIfAborted()
      if (done) return { text: text + decoder.decode() }
      text += decoder.decode(value.subarray(0, room), { stream: true })
      room -= value.byteLength
      if (room < 0) {
        stop()
        return { text, cut: 'limit' }
      }
    }
  } catch (error) {
    return { text, cut: { error } }
  }
}
