import { TargetUnreachableError } from '../errors.ts'
import { playByCommand, type Simulate } from './calls/simulate.ts'
import { prepareOrganization } from './calls/wabakit-control.ts'
import type { ServerExamination } from './server-examination.ts'
import type { Listener } from './webhooks/listen.ts'

const trimSlashes = (url: string): string => url.replace(/\/+$/, '')

/** Formats a URL for reports, without credentials. */
export const formatUrl = (url: string): string => {
  const target = new URL(url)
  target.username = ''
  target.password = ''
  return trimSlashes(target.href)
}

/** Creates an organization if the control API of a wabakit server is given. */
const prepare = async ({ wabakitControl: url, controlToken: token }: ServerExamination, webhookUrl = '') => {
  if (url === undefined) return undefined
  return prepareOrganization({ url, token, webhookUrl }).catch((error) => {
    throw new TargetUnreachableError(
      `The control API at ${formatUrl(url)} cannot be used: ${error.message}`,
      {
        cause: error,
      },
    )
  })
}

export type ServerSettings = Awaited<ReturnType<typeof readSettings>>

/** Collects a run's settings from the options, their defaults and a wabakit server's control API. */
export const readSettings = async (options: ServerExamination, listener: Listener | undefined) => {
  const { minutes = 0.05, timeoutMs = 10_000, retryTimeoutMs = 15_000, quietMs = 1_500 } = options
  const { authHeader = 'Authorization', fetch = (url, init) => globalThis.fetch(url, init) } = options
  const play = typeof options.play === 'string' ? playByCommand(options.play) : options.play
  const prepared = await prepare(options, listener?.url)
  const simulate: Simulate = prepared?.simulate ?? options.simulate ?? {}
  return {
    ...options,
    play,
    ...prepared,
    simulate,
    baseUrl: trimSlashes(options.baseUrl),
    authHeader,
    fetch,
    listener,
    minutes,
    timeoutMs,
    retryTimeoutMs,
    quietMs,
  }
}
