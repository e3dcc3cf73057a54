import { eventNames, healthEventNames } from '@wabakit/contract'
import { createOrganizationClient } from './control-client.ts'
import type { ServerOptions } from './options.ts'
import { CliError, exitCodes } from './output.ts'

const names: readonly string[] = [...eventNames, ...healthEventNames]

/**
 * Checks the filters of a command that has found nothing: they may name a subscription or an event that does not exist.
 *
 * @throws CliError when they do, or the server does not answer.
 */
export const checkFilters = async (
  { subscription, name }: { readonly subscription?: unknown; readonly name?: unknown },
  options: ServerOptions,
): Promise<void> => {
  const unknown = [name].flat().find((each) => each !== undefined && !names.includes(String(each)))
  if (unknown !== undefined) {
    const message = `There is no event ${JSON.stringify(unknown)}. --name is one of ${names.join(', ')}.`
    throw new CliError(message, exitCodes.usage)
  }
  if (subscription === undefined) return
  await createOrganizationClient(options).send(
    'GET',
    `/subscriptions/${encodeURIComponent(String(subscription))}`,
  )
}
