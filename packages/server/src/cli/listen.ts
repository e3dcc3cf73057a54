import { getResponseLine, readResponseBody } from '@wabakit/core/hosting'
import { generateSecret } from '@wabakit/webhooks'
import { maskUrl } from '@wabakit/wire'
import type { Command } from 'commander'
import { isLoopbackHost } from '../delivery/target-policy.ts'
import { getFetchMessage } from './control-client.ts'
import { follow } from './follow.ts'
import { type AttemptLine, type EventLine, formatAttempt, formatEvent } from './lines.ts'
import {
  addExamples,
  addOptions,
  addServerOptions,
  collectHeader,
  parseUrl,
  type ServerOptions,
} from './options.ts'
import { CliError, createOutput, exitCodes } from './output.ts'
import { sendRequest } from './recording/send-request.ts'
import { signPayload } from './sign.ts'

type ListenOptions = ServerOptions & {
  readonly forwardTo: string
  readonly secret?: string | undefined
  readonly header?: readonly [string, string][] | undefined
}

type Endpoint = {
  readonly url: string
  readonly secret: string
  readonly headers: Readonly<Record<string, string>>
}

/** Sends one signed event and returns the result. Does not reject if the endpoint fails. */
const forward = async (
  { url, secret, headers }: Endpoint,
  { id, payload }: Required<EventLine>,
): Promise<AttemptLine> => {
  const signed = await signPayload({ id, payload, secret })
  const startedAt = performance.now()
  const toResult = (status: number | null, error: string | null, response: string | null = null) => ({
    url: maskUrl(url),
    status,
    error,
    response,
    durationMs: performance.now() - startedAt,
  })
  try {
    // Does not use `fetch`, which fails after a 100 that it did not ask for, and refuses some ports.
    const webhook = {
      method: 'POST',
      path: '',
      headers: Object.entries({ ...headers, ...signed.headers }),
      body: Buffer.from(payload),
    }
    const { status, body } = await sendRequest(webhook, new URL(url))
    const isSuccess = status >= 200 && status < 300
    return toResult(
      status,
      null,
      isSuccess ? null : getResponseLine(await readResponseBody(body.toString(), headers, url)),
    )
  } catch (error) {
    return toResult(null, getFetchMessage(error) || 'no response')
  }
}

const listen = async (options: ListenOptions): Promise<void> => {
  const output = createOutput(options)
  const { forwardTo, organization, server, secret = generateSecret(), header = [] } = options
  const { protocol, hostname } = new URL(forwardTo)
  if (header.length > 0 && protocol === 'http:' && !isLoopbackHost(hostname)) {
    const message = `Headers are secrets, and ${hostname} would receive them unencrypted. Forward to an https URL, or to a port of this machine.`
    throw new CliError(message, exitCodes.usage)
  }
  // Reports an invalid secret before the first event arrives.
  await signPayload({ payload: '', secret })
  const endpoint = { url: forwardTo, secret, headers: Object.fromEntries(header) }
  // Prints a secret only if it was generated. The user already knows any other secret, which must not appear
  // on screens or in logs.
  const generated = options.secret === undefined ? secret : undefined
  const onOpen = (): void => {
    const ready = `${output.style('green', 'ready')} forwarding ${organization} of ${server} to ${maskUrl(forwardTo)}`
    const line = generated === undefined ? '' : `\n  webhook secret  ${output.style('bold', generated)}`
    output.result({ ready: true, forwardTo: maskUrl(forwardTo), secret: generated }, ready + line)
  }
  for await (const { name, data } of follow(options, output, onOpen)) {
    if (name !== 'event') continue
    const event: Required<EventLine> = JSON.parse(data)
    output.result({ type: 'event', ...event }, formatEvent(output, event))
    const attempt = await forward(endpoint, event)
    output.result({ type: 'attempt', eventId: event.id, ...attempt }, formatAttempt(output, attempt))
  }
}

export const define = (command: Command): void => {
  addServerOptions(command)
    .description('forward the events of a running server to a local URL, as signed webhooks')
    .action(listen)
  addOptions(command, {
    '--forward-to <url>': { about: 'URL to forward to', parse: parseUrl, isRequired: true },
    '--secret <secret>': 'signing secret (default: a random one, which is printed)',
  }).option(
    '--header <name: value>',
    'static header of every webhook, such as "authorization: Bearer …" (repeatable)',
    collectHeader,
  )
  addExamples(command, 'listen --forward-to http://127.0.0.1:3000/webhooks')
}
