/** Most characters of an answer's body that are kept. */
const longest = 4_096

/** The beginning of an answer's body as text that every store can keep; the rest is not read. */
export const readBeginning = async ({ body }: Response): Promise<string> => {
  if (body === null) return ''
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
    .slice(0, longest)
    .replaceAll('\0', '')
    .replace(/\p{Surrogate}/gu, '')
}
