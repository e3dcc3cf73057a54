import { ConfigError } from '../config/config-error.ts'
import type { ServerConfig } from '../config/server-config.ts'
import { isLoopbackHost } from './loopback.ts'

const exposedBy = ({ host, publicUrl, trustProxy }: ServerConfig): string | undefined => {
  if (!isLoopbackHost(host)) return `host is ${host}, which others can reach`
  if (trustProxy > 0) return 'trustProxy says that a proxy lets others in'
  if (publicUrl !== undefined && !isLoopbackHost(new URL(publicUrl).hostname))
    return 'publicUrl lets others in'
  return undefined
}

/**
 * Refuses to leave the control API open to others than this machine's own.
 *
 * @throws ConfigError when a control token is needed and missing.
 */
export const checkExposure = (config: ServerConfig): void => {
  const reason = exposedBy(config)
  if (reason === undefined || config.controlToken !== undefined) return
  const message = `is required, because ${reason}. Set WABAKIT_CONTROL_TOKEN to at least 16 random characters.`
  throw new ConfigError([{ key: 'controlToken', source: 'WABAKIT_CONTROL_TOKEN', message }])
}
