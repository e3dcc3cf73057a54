import { generateSecret, signWebhook } from '@wabakit/webhooks'
import { CliError, exitCodes } from '../cli-error.ts'
import { createControlClient } from '../control-client.ts'
import { follow } from '../follow.ts'
import { attemptLine, eventLine } from '../lines.ts'
import type { ServerOptions } from '../options.ts'
import type { Output } from '../output.ts'

/** Options of {@link listen}. */
export type ListenOptions = ServerOptions & {
  readonly forwardTo: string
  readonly secret?: string | undefined
}

const timeoutMs = 15_000

type Event = { id: string; name: string; payload: string }

/** Sends one event, signed, as the server would; what came of it is told, not thrown. */
const forward = async (url: string, secret: string, { id, payload }: Event) => {
  const { headers } = await signWebhook({ id, payload, secret })
  const started = performance.now()
  const done = (status: number | null, error: string | null) => ({
    url,
    status,
    error,
    durationMs: performance.now() - started,
  })
  try {
    const signal = AbortSignal.timeout(timeoutMs)
    const response = await fetch(url, { method: 'POST', headers, body: payload, redirect: 'manual', signal })
    await response.body?.cancel()
    return done(response.status, null)
  } catch (error) {
    const { cause } = error as Error
    return done(null, cause instanceof Error ? cause.message : String((error as Error).message))
  }
}

/** Receives the events of a running server over its stream, and forwards each, signed, to a URL of this machine. */
export const listen = async (options: ListenOptions, output: Output, signal: AbortSignal): Promise<void> => {
  const { forwardTo, organization, secret = generateSecret(), ...address } = options
  if (!URL.canParse(forwardTo) || !/^https?:$/.test(new URL(forwardTo).protocol)) {
    throw new CliError(
      `--forward-to must be an http or https URL, not ${JSON.stringify(forwardTo)}.`,
      exitCodes.usage,
    )
  }
  const onOpen = (): void => {
    const text = [
      `${output.style('green', 'ready')} forwarding ${organization} of ${address.server} to ${forwardTo}`,
      `  webhook secret  ${output.style('bold', secret)}`,
    ]
    output.result({ ready: true, forwardTo, secret }, text.join('\n'))
  }
  for await (const { name, data } of follow({
    control: createControlClient(address),
    organization,
    output,
    signal,
    onOpen,
  })) {
    if (name !== 'event') continue
    const event: Event = JSON.parse(data)
    output.result({ type: 'event', ...event }, eventLine(output, event))
    const attempt = await forward(forwardTo, secret, event)
    output.result({ type: 'attempt', eventId: event.id, ...attempt }, attemptLine(output, attempt))
  }
}
