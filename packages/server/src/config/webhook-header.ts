import type { ServerConfig } from './server-config.ts'

/** Returns the header that authenticates the webhooks of the demo organization. */
export const getWebhookHeader = ({
  webhookHeader,
}: Pick<ServerConfig, 'webhookHeader'>): { readonly header: string; readonly value: string } | undefined => {
  const [, header, value] = /^(.+?): *(.+)$/.exec(webhookHeader ?? '') ?? []
  return header === undefined || value === undefined ? undefined : { header: header.toLowerCase(), value }
}
