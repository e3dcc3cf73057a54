import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { chromiumPath } from '../programs.ts'

// biome-ignore lint/suspicious/noExplicitAny: the results of the browser's protocol
type Result = any

/**
 * Starts a browser that loads pages as a user's does. Playwright observes the network, so the browser records the stack of each
 * request, and parses the page's whole script again for the first one: a fifth of the first view at a slow CPU.
 */
export const startUnwatchedBrowser = async () => {
  const profile = mkdtempSync(join(tmpdir(), 'wabakit-browser-'))
  const args = [
    '--headless',
    '--no-sandbox',
    '--disable-gpu',
    '--remote-debugging-port=0',
    `--user-data-dir=${profile}`,
  ]
  const child = spawn(chromiumPath ?? 'chromium', args, { stdio: ['ignore', 'ignore', 'pipe'] })
  let url: string | undefined
  for await (const line of createInterface(child.stderr)) {
    url = /^DevTools listening on (ws:.+)$/.exec(line)?.[1]
    if (url !== undefined) break
  }
  if (url === undefined) throw new Error('The browser did not start.')
  child.stderr.resume()

  const socket = new WebSocket(url)
  await once(socket, 'open')
  const sent = new Map<number, PromiseWithResolvers<Result>>()
  socket.addEventListener('message', ({ data }) => {
    const { id, result, error } = JSON.parse(String(data))
    if (error === undefined) sent.get(id)?.resolve(result)
    else sent.get(id)?.reject(new Error(error.message))
    sent.delete(id)
  })
  let count = 0
  const send = (method: string, params: object = {}, sessionId?: string): Promise<Result> => {
    const id = ++count
    const answer = Promise.withResolvers<Result>()
    sent.set(id, answer)
    socket.send(JSON.stringify({ id, method, params, sessionId }))
    return answer.promise
  }

  return {
    /** Opens a tab without anything that other tabs have stored. */
    openTab: async (size: { readonly width: number; readonly height: number }) => {
      const { browserContextId } = await send('Target.createBrowserContext')
      const target = await send('Target.createTarget', { url: 'about:blank', browserContextId, ...size })
      const { sessionId } = await send('Target.attachToTarget', { ...target, flatten: true })
      return {
        send: (method: string, params?: object) => send(method, params, sessionId),
        close: () => send('Target.disposeBrowserContext', { browserContextId }),
      }
    },
    close: async (): Promise<void> => {
      const exited = once(child, 'exit')
      child.kill()
      await exited
      rmSync(profile, { recursive: true, force: true })
    },
  }
}
