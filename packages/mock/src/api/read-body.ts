const longest = 65_536

/** The first 64 KiB of a request's body as text, leaving the request itself unread. */
const readText = async (request: Request): Promise<string | undefined> => {
  const { body } = request.clone()
  if (body === null) return undefined
  const reader = body.getReader()
  const decoder = new TextDecoder()
  let text = ''
  while (text.length < longest) {
    const { done, value } = await reader.read()
    if (done) break
    text += decoder.decode(value, { stream: true })
  }
  reader.cancel().catch(() => {})
  return text
}

/** A request's body as it is recorded: JSON parsed, other text as it came, `undefined` when there is none. */
export const readRequestBody = async (request: Request): Promise<unknown> => {
  const text = await readText(request)
  if (text === undefined) return undefined
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
