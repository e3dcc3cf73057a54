const maxLength = 65_536

/** Reads the first 64 KiB of a request's body as text, from a copy of the request. */
const readText = async (request: Request): Promise<string | undefined> => {
  const { body } = request.clone()
  if (body === null) return undefined
  const reader = body.getReader()
  const decoder = new TextDecoder()
  let text = ''
  while (text.length < maxLength) {
    const { done, value } = await reader.read()
    if (done) break
    text += decoder.decode(value, { stream: true })
  }
  reader.cancel().catch(() => {})
  return text
}

/** Reads a request's body for the recording: parsed JSON, other text as received, `undefined` if there is none. */
export const readRequestBody = async (request: Request): Promise<unknown> => {
  const text = await readText(request)
  if (text === undefined) return undefined
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
