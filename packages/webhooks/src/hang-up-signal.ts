import type { ServerResponse } from 'node:http'

/** Aborts when the sender hangs up before its answer is written. */
export const hangUpSignal = (response: ServerResponse): AbortSignal => {
  const hangUp = new AbortController()
  response.once('close', () => {
    if (!response.writableFinished) hangUp.abort()
  })
  return hangUp.signal
}
