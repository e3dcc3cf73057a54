import { createByteCollector } from './byte-collector.ts'

/**
 * Reads a response's body as UTF-8 text, in one growing buffer. If it is longer than `maxBytes`, returns `undefined` and
 * cancels the rest. Rejects if reading fails.
 */
export const readText = async (
  { body }: { readonly body: ReadableStream<Uint8Array> | null },
  maxBytes: number,
): Promise<string | undefined> => {
  const bytes = createByteCollector()
  const reader = body?.getReader()
  for (;;) {
    const { done, value } = (await reader?.read()) ?? { done: true }
    if (done || value === undefined) return new TextDecoder().decode(bytes.toBytes())
    if (bytes.length + value.byteLength > maxBytes) {
      await reader?.cancel()
      return undefined
    }
    bytes.add(value)
  }
}
