import { generateSecret, signWebhook } from '@wabakit/webhooks'
import { type Command, Option } from 'commander'
import { CliError, exitCodes } from './cli-error.ts'
import { getFetchMessage } from './control-client.ts'
import { follow } from './follow.ts'
import { formatAttempt, formatEvent } from './lines.ts'
import {
  addExamples,
  addServerOptions,
  checkUrl,
  collect,
  createOption,
  type ServerOptions,
} from './options.ts'
import { createOutput, type Output } from './output.ts'

type ListenOptions = ServerOptions & {
  readonly forwardTo: string
  readonly secret?: string | undefined
  readonly header?: readonly string[] | undefined
}

type Endpoint = {
  readonly url: string
  readonly secret: string
  readonly headers: Readonly<Record<string, string>>
}

type Event = { id: string; name: string; payload: string }

const timeoutMs = 15_000

/** Sends one signed event and returns the result. Never rejects because of the endpoint. */
const forward = async ({ url, secret, headers }: Endpoint, { id, payload }: Event) => {
  const signed = await signWebhook({ id, payload, secret })
  const startedAt = performance.now()
  const toResult = (status: number | null, error: string | null) => ({
    url,
    status,
    error,
    durationMs: performance.now() - startedAt,
  })
  try {
    const signal = AbortSignal.timeout(timeoutMs)
    const response = await fetch(url, {
      method: 'POST',
      headers: { ...headers, ...signed.headers },
      body: payload,
      redirect: 'manual',
      signal,
    })
    await response.body?.cancel()
    return toResult(response.status, null)
  } catch (error) {
    return toResult(null, getFetchMessage(error))
  }
}

const parseHeader = (text: string): [string, string] => {
  const [, name, value] = /^([\w.-]+): *([!-~](?:[ -~]*[!-~])?)$/.exec(text) ?? []
  if (name !== undefined && value !== undefined) return [name.toLowerCase(), value]
  throw new CliError('--header must be a name and a value, such as "x-webhook-token: …".', exitCodes.usage)
}

const listen = async (options: ListenOptions, output: Output): Promise<void> => {
  const { forwardTo, organization, server, secret = generateSecret(), header = [] } = options
  checkUrl('--forward-to', forwardTo)
  const endpoint = { url: forwardTo, secret, headers: Object.fromEntries(header.map(parseHeader)) }
  const onOpen = (): void => {
    const text = [
      `${output.style('green', 'ready')} forwarding ${organization} of ${server} to ${forwardTo}`,
      `  webhook secret  ${output.style('bold', secret)}`,
    ]
    output.result({ ready: true, forwardTo, secret }, text.join('\n'))
  }
  for await (const { name, data } of follow(options, output, onOpen)) {
    if (name !== 'event') continue
    const event: Event = JSON.parse(data)
    output.result({ type: 'event', ...event }, formatEvent(output, event))
    const attempt = await forward(endpoint, event)
    output.result({ type: 'attempt', eventId: event.id, ...attempt }, formatAttempt(output, attempt))
  }
}

export const define = (command: Command): void => {
  addServerOptions(command)
    .description('forward the events of a running server to a local URL, as signed webhooks')
    .addOption(createOption('--forward-to <url>', 'URL to forward to').makeOptionMandatory())
    .addOption(
      createOption('--secret <secret>', 'signing secret (default: a random one, which is printed)').env(
        'WABAKIT_WEBHOOK_SECRET',
      ),
    )
    .addOption(
      new Option(
        '--header <name: value>',
        'static header of every webhook, such as "authorization: Bearer …" (repeatable)',
      ).argParser(collect),
    )
    .action((options) => listen(options, createOutput(options)))
  addExamples(command, 'listen --forward-to http://127.0.0.1:3000/webhooks')
}
