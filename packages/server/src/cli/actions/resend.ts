import { escapeControls } from '@wabakit/contract/escape-controls'
import { CliError, exitCodes } from '../cli-error.ts'
import { createControlClient } from '../control-client.ts'
import type { ServerOptions } from '../options.ts'
import type { Output } from '../output.ts'

/** Options of {@link resend}: a range, where no delivery is named, and how to send. */
export type ResendOptions = ServerOptions & {
  readonly from?: string | undefined
  readonly before?: string | undefined
  readonly event?: string | undefined
  readonly subscription?: string | undefined
  readonly status?: readonly string[] | undefined
  readonly newWebhookId?: boolean | undefined
}

/** Makes a running server send a delivery again, or all of a range. */
export const resend = async (
  id: string | undefined,
  options: ResendOptions,
  output: Output,
): Promise<void> => {
  const {
    from,
    before,
    event,
    subscription,
    status,
    newWebhookId = false,
    organization,
    ...address
  } = options
  const range = {
    occurredFrom: from,
    occurredBefore: before,
    eventId: event,
    subscriptionId: subscription,
    statuses: status,
  }
  const isRange = Object.values(range).some((value) => value !== undefined)
  if (isRange === (id !== undefined)) {
    throw new CliError(
      'Name one delivery, or choose a range by --from, --before, --event, --subscription or --status.',
      exitCodes.usage,
    )
  }
  const path = `/organizations/${encodeURIComponent(organization)}/deliveries`
  const control = createControlClient(address)
  const answer = (await (id === undefined
    ? control.send('POST', `${path}/resend`, { ...range, newWebhookId })
    : control.send('POST', `${path}/${encodeURIComponent(id)}/resend`, { newWebhookId }))) as {
    resent: number
  }
  output.result(
    answer,
    escapeControls(`${answer.resent} ${answer.resent === 1 ? 'delivery is' : 'deliveries are'} sent again`),
  )
}
