import { ControlError } from './control-error.ts'

/** Longest body of a request to the control API, in bytes. */
const maxBytes = 1_048_576

const tooLarge = (): ControlError =>
  new ControlError('body_too_large', `The body must be at most ${maxBytes} bytes long.`)

const readText = async (stream: ReadableStream<Uint8Array>): Promise<string> => {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  let length = 0
  let text = ''
  for await (const chunk of stream) {
    length += chunk.length
    if (length > maxBytes) throw tooLarge()
    text += decoder.decode(chunk, { stream: true })
  }
  return text + decoder.decode()
}

/**
 * The JSON body of a request; an empty object when there is none. The media type must say so: another one is what a
 * page of another site could send without being asked.
 *
 * @throws ControlError `unsupported_media_type`, `body_too_large` or `malformed_json`.
 */
export const readBody = async ({ headers, body }: Request): Promise<unknown> => {
  if (body === null) return {}
  try {
    const text = await readText(body)
    if (text === '') return {}
    if (!/^application\/json *(?:;|$)/i.test(headers.get('content-type') ?? '')) {
      throw new ControlError('unsupported_media_type', 'The content-type must be application/json.')
    }
    return JSON.parse(text)
  } catch (error) {
    if (error instanceof ControlError) throw error
    throw new ControlError('malformed_json', 'The body must be complete JSON in UTF-8.')
  }
}
