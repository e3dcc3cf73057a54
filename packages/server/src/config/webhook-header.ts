import { ConfigError } from './config-error.ts'
import type { ServerConfig } from './server-config.ts'

/**
 * Returns the header that authenticates the webhooks of the demo organization.
 *
 * @throws ConfigError if both settings are set, because a live service sends only one such header.
 */
export const getWebhookHeader = ({
  webhookAuthorization,
  webhookHeader,
}: Pick<ServerConfig, 'webhookAuthorization' | 'webhookHeader'>):
  | { readonly header: string; readonly value: string }
  | undefined => {
  if (webhookHeader === undefined) {
    return webhookAuthorization === undefined
      ? undefined
      : { header: 'authorization', value: webhookAuthorization }
  }
  if (webhookAuthorization !== undefined) {
    const message = 'cannot be combined with webhookAuthorization. Set one of them.'
    throw new ConfigError([{ key: 'webhookHeader', source: '--webhook-header', message }])
  }
  const colon = webhookHeader.indexOf(':')
  return {
    header: webhookHeader.slice(0, colon).toLowerCase(),
    value: webhookHeader.slice(colon + 1).trim(),
  }
}
