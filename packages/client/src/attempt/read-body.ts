import { raceAbort, throwIfAborted } from './abort.ts'

/** Maximum size of a successful response's body, in bytes: many times the size of a summary. */
export const successBodyLimit = 1_048_576
/** Maximum size of any other body, in bytes. The rest is not read. */
export const errorBodyLimit = 65_536

/** The received part of a body. */
export type ReadBody = {
  readonly text: string
  /** The reason why the rest is missing: the limit was reached, or reading failed with `error`. */
  readonly cut?: 'limit' | { readonly error: unknown }
}

/** Reads a body that is not a web stream, as in React Native and node-fetch. */
const readText = async (response: Response, limit: number, signal: AbortSignal): Promise<ReadBody> => {
  try {
    const text = await raceAbort(signal, response.text())
    return text.length > limit ? { text: text.slice(0, limit), cut: 'limit' } : { text }
  } catch (error) {
    return { text: '', cut: { error } }
  }
}

/**
 * Reads at most `limit` bytes of a body as UTF-8 text, then closes the connection without waiting for the rest. Stops
 * when `signal` aborts, even if the stream ignores it. Never rejects.
 */
export const readBody = async (response: Response, limit: number, signal: AbortSignal): Promise<ReadBody> => {
  if (!response.body || !('getReader' in response.body)) return readText(response, limit, signal)
  const reader: ReadableStreamDefaultReader<Uint8Array> = response.body.getReader()
  const stop = () => void reader.cancel().catch(() => {})
  signal.addEventListener('abort', stop)
  const decoder = new TextDecoder()
  let text = ''
  let left = limit
  try {
    for (;;) {
      const { done, value } = await reader.read()
      throwIfAborted(signal)
      if (done) return { text: text + decoder.decode() }
      text += decoder.decode(value.subarray(0, left), { stream: true })
      left -= value.byteLength
      if (left < 0) {
        stop()
        return { text, cut: 'limit' }
      }
    }
  } catch (error) {
    return { text, cut: { error } }
  }
}
