import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'

/** Path of the system's Firefox. */
export const firefoxPath = '/usr/bin/firefox-esr'

/** Set if Firefox is installed. */
export const hasFirefox = existsSync(firefoxPath)
if (!hasFirefox) console.warn('Skipped in Firefox: firefox-esr is not installed.')

/** The parts of WebDriver BiDi's messages that are used here. */
type Message = {
  readonly id?: number
  readonly error?: string
  readonly message?: string
  readonly result?: {
    readonly contexts?: readonly { readonly context: string }[]
    readonly result?: { readonly value?: unknown }
    readonly exceptionDetails?: { readonly text: string }
  }
}

const findAddress = async (output: NodeJS.ReadableStream): Promise<string> => {
  for await (const line of createInterface(output)) {
    const found = /WebDriver BiDi listening on (ws:\S+)/.exec(line)?.[1]
    if (found) return found
  }
  throw new Error('Firefox ended before it listened.')
}

/** Starts headless Firefox with one page. It speaks WebDriver BiDi: Playwright needs a Firefox of its own. */
export const launchFirefox = async () => {
  const profile = mkdtempSync(join(tmpdir(), 'wabakit-firefox-'))
  const args = ['--headless', '--no-remote', '--profile', profile, '--remote-debugging-port', '0']
  const firefox = spawn(firefoxPath, args, { stdio: ['ignore', 'ignore', 'pipe'] })
  const ended = once(firefox, 'exit')
  const stop = async (): Promise<void> => {
    firefox.kill('SIGKILL')
    await ended
    rmSync(profile, { recursive: true, force: true, maxRetries: 10 })
  }
  try {
    const socket = new WebSocket(`${await findAddress(firefox.stderr)}/session`)
    await once(socket, 'open')
    const pending = new Map<number, PromiseWithResolvers<NonNullable<Message['result']>>>()
    socket.addEventListener('message', ({ data }) => {
      const { id = 0, error, message, result = {} }: Message = JSON.parse(String(data))
      if (error === undefined) pending.get(id)?.resolve(result)
      else pending.get(id)?.reject(new Error(`${error}: ${message}`))
    })
    firefox.once('exit', () => {
      for (const { reject } of pending.values()) reject(new Error('Firefox has ended.'))
    })
    const send = (method: string, params: object = {}) => {
      const id = pending.size
      const reply = Promise.withResolvers<NonNullable<Message['result']>>()
      pending.set(id, reply)
      socket.send(JSON.stringify({ id, method, params }))
      return reply.promise
    }
    await send('session.new', { capabilities: {} })
    const { contexts } = await send('browsingContext.getTree')
    const context = contexts?.[0]?.context
    return {
      /** Opens a page and waits until it is loaded. */
      open: (url: string) => send('browsingContext.navigate', { context, url, wait: 'complete' }),
      /** Evaluates code in the page and awaits its result, which must be JSON. Rejects with what the code throws. */
      evaluate: async (code: string): Promise<unknown> => {
        const expression = `(async () => JSON.stringify(await (${code})))()`
        const target = { context }
        const { result, exceptionDetails } = await send('script.evaluate', {
          expression,
          target,
          awaitPromise: true,
        })
        if (exceptionDetails) throw new Error(exceptionDetails.text)
        return JSON.parse(String(result?.value))
      },
      close: stop,
    }
  } catch (error) {
    await stop()
    throw error
  }
}
