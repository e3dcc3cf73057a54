import { createControlClient } from '../control-client.ts'
import { follow } from '../follow.ts'
import { type AttemptLine, attemptLine, eventLine } from '../lines.ts'
import type { ServerOptions } from '../options.ts'
import type { Output } from '../output.ts'

/** Prints what happens in an organization: a line for each event and for each attempt to deliver one. */
export const tailEvents = async (
  { organization, ...address }: ServerOptions,
  output: Output,
  signal: AbortSignal,
): Promise<void> => {
  const onOpen = (): void => output.note(`Following ${organization} at ${address.server}. End with Ctrl-C.`)
  for await (const { name, data } of follow({
    control: createControlClient(address),
    organization,
    output,
    signal,
    onOpen,
  })) {
    const value: { name: string; id: string } & AttemptLine = JSON.parse(data)
    if (name === 'event') output.result({ type: name, ...value }, eventLine(output, value))
    else if (name === 'attempt') output.result({ type: name, ...value }, attemptLine(output, value))
  }
}
