import { Agent, request } from 'node:http'

type Sent = {
  readonly method: string
  readonly headers: Record<string, string>
  readonly body: string | Buffer
}

/** Sends a request. Resolves to the status, or to the code of the error. */
export const sendRequest = (url: string, { method, headers, body }: Sent, agent?: Agent): Promise<string> =>
  new Promise((resolve) => {
    const outgoing = request(url, { method, headers, agent: agent ?? false, timeout: 20_000 }, (response) => {
      response.on('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message))
      response.resume().on('end', () => resolve(String(response.statusCode)))
    })
    outgoing
      .on('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message))
      .on('timeout', () => outgoing.destroy(new Error('timeout')))
      .end(body)
  })

/**
 * Sends genuine requests, four at a time, beside one stranger for each of `sizes`, who sends bodies of so many bytes that are refused.
 *
 * @returns how often each status or error occurred.
 */
export const sendBesideStrangers = async (
  url: string,
  options: { readonly count: number; readonly sizes: readonly number[]; genuine(): Promise<Sent> },
) => {
  const { count, sizes, genuine } = options
  const agent = new Agent({ keepAlive: true })
  const own: Record<string, number> = {}
  const strangers: Record<string, number> = {}
  let left = count
  let isOver = false
  const sendGenuine = async (): Promise<void> => {
    while (left > 0) {
      left -= 1
      const outcome = await sendRequest(url, await genuine(), agent)
      own[outcome] = (own[outcome] ?? 0) + 1
    }
  }
  const sendForeign = async (size: number): Promise<void> => {
    const headers = { 'content-type': 'application/json' }
    const body = Buffer.alloc(size, 'x')
    while (!isOver) {
      const outcome = await sendRequest(url, { method: 'POST', headers, body })
      strangers[outcome] = (strangers[outcome] ?? 0) + 1
    }
  }
  const foreign = Promise.all(sizes.map(sendForeign))
  await Promise.all(Array.from({ length: 4 }, sendGenuine))
  isOver = true
  await foreign
  agent.destroy()
  return { genuine: own, strangers }
}
