/** Most characters of an answer's body that are kept. */
const longest = 4_096

const read = async (body: ReadableStream<Uint8Array>): Promise<string> => {
  const reader = body.getReader()
  const decoder = new TextDecoder()
  let text = ''
  while (text.length < longest) {
    const { done, value } = await reader.read()
    if (done) break
    text += decoder.decode(value, { stream: true })
  }
  // Not awaited: an endpoint that does not stop must not hold up the result.
  reader.cancel().catch(() => {})
  return text
}

/** The beginning of an answer's body as text that every store can keep; the rest is not read. */
export const readBeginning = async (body: ReadableStream<Uint8Array> | string | null): Promise<string> => {
  const text = typeof body === 'object' && body !== null ? await read(body) : (body ?? '')
  return text
    .slice(0, longest)
    .replaceAll('\0', '')
    .replace(/\p{Surrogate}/gu, '')
}
