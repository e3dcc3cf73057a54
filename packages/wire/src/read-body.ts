import { createByteCollector } from './byte-collector.ts'

/**
 * Reads a body in one growing buffer. If it is longer than `maxBytes`, returns `undefined` and cancels the rest. Rejects if
 * reading fails.
 */
export const readBytes = async (
  body: ReadableStream<Uint8Array> | null,
  maxBytes: number,
): Promise<Uint8Array | undefined> => {
  const bytes = createByteCollector()
  const reader = body?.getReader()
  for (;;) {
    const { done, value } = (await reader?.read()) ?? { done: true }
    if (done || value === undefined) return bytes.toBytes()
    if (bytes.length + value.byteLength > maxBytes) {
      // This is not awaited, because a sender that does not stop must not delay the caller.
      reader?.cancel().catch(() => {})
      return undefined
    }
    bytes.add(value)
  }
}

/** Reads the body of a response as UTF-8 text, like {@link readBytes}. */
export const readText = async (
  { body }: { readonly body: ReadableStream<Uint8Array> | null },
  maxBytes: number,
): Promise<string | undefined> => {
  const bytes = await readBytes(body, maxBytes)
  return bytes && new TextDecoder().decode(bytes)
}
