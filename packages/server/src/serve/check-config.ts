import { createReferenceServer, InputError, memoryStore, RecordExistsError } from '@wabakit/core'
import { ConfigError, type ConfigProblem } from '../config/config-error.ts'
import type { ServerConfig } from '../config/server-config.ts'
import { isLoopbackHost } from '../delivery/target-policy.ts'
import { isPostgres } from './open-store.ts'
import { ensureDemo, ensureOperator } from './own-organizations.ts'

/** Returns why other machines may be able to reach a server, or `undefined` if its settings do not let them. */
export const getExposure = ({ host, publicUrl, trustProxy }: ServerConfig): string | undefined => {
  if (!isLoopbackHost(host)) return `host is ${host}, which other machines can reach`
  if (trustProxy > 0) return 'trustProxy says that clients connect through a proxy'
  if (publicUrl !== undefined && !isLoopbackHost(new URL(publicUrl).hostname)) {
    return 'publicUrl says that other machines can reach the server'
  }
  return undefined
}

/** Returns whether webhooks may be sent to private addresses, and over http to loopback addresses. */
export const allowsPrivateTargets = ({ allowPrivateTargets, host }: ServerConfig): boolean =>
  allowPrivateTargets ?? isLoopbackHost(host)

/** Creates a record from a setting. Rejects with a ConfigError if the service refuses the setting. */
export const createConfigured = async <Result>(
  { key, source }: Omit<ConfigProblem, 'message'>,
  work: () => Promise<Result>,
): Promise<Result> => {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof InputError || error instanceof RecordExistsError)) throw error
    // `checkRecords` creates organizations one at a time, and its `key` identifies the organization.
    const message = `is not valid: ${error.message.replaceAll('organizations.0.', '')}`
    throw new ConfigError([{ key, source, message }], { cause: error })
  }
}

/** Checks the organizations and webhook URLs by creating them in memory, before anything is stored. */
const checkRecords = async (config: ServerConfig): Promise<void> => {
  const allowLoopbackHttp = allowsPrivateTargets(config)
  const store = memoryStore()
  for (const [index, organization] of config.organizations.entries()) {
    await createConfigured({ key: `organizations.${index}`, source: organization.id }, () =>
      createReferenceServer({ store, organizations: [organization] }).ready(),
    )
  }
  const operators = memoryStore()
  const service = createReferenceServer({ store: operators, allowLoopbackHttp })
  await createConfigured({ key: 'operationsUrl', source: '--operations-url' }, () =>
    ensureOperator({ service, store: operators }, config),
  )
  await createConfigured({ key: 'webhookUrl', source: '--webhook-url' }, () =>
    ensureDemo(createReferenceServer({ allowLoopbackHttp }), config),
  )
}

/**
 * Rejects with a ConfigError unless the settings fit together. For example, the control API must not be open to other
 * machines without a token, only PostgreSQL can be shared by processes with different roles, and the service must accept
 * the organizations and their URLs.
 */
export const checkConfig = async (config: ServerConfig): Promise<void> => {
  const { role, database, controlToken } = config
  const exposure = getExposure(config)
  if (exposure !== undefined && controlToken === undefined) {
    const message = `is required because ${exposure}. Set WABAKIT_CONTROL_TOKEN to at least 16 random characters.`
    throw new ConfigError([{ key: 'controlToken', source: 'WABAKIT_CONTROL_TOKEN', message }])
  }
  if (exposure !== undefined && config.webhookUrl !== undefined) {
    const message = `is for the demo organization, which a server has only if no other machine can reach it, but ${exposure}. Create a subscription with wabakit subscription create.`
    throw new ConfigError([{ key: 'webhookUrl', source: '--webhook-url', message }])
  }
  if (config.profile === 'live' && !config.sandbox) {
    const message =
      'can only be live with --sandbox (or exec --mock): this server is no live service, but it can imitate one.'
    throw new ConfigError([{ key: 'profile', source: '--profile', message }])
  }
  if (config.profile.endsWith('.json')) {
    const message = 'can only be a file with exec --mock: a server imitates reference or live.'
    throw new ConfigError([{ key: 'profile', source: '--profile', message }])
  }
  if (config.live !== undefined && config.profile !== 'live') {
    throw new ConfigError([
      { key: 'live', source: 'the configuration file', message: 'needs --profile live.' },
    ])
  }
  if (role !== 'all' && !isPostgres(database)) {
    const message = `can only be ${role} with a PostgreSQL database. One process has a SQLite file to itself and must have the role all.`
    throw new ConfigError([{ key: 'role', source: '--role', message }])
  }
  if (config.operationsUrl !== undefined && config.operationsSecret === undefined) {
    const message =
      'is required because operationsUrl is set. Set WABAKIT_OPERATIONS_SECRET to a secret for signing.'
    throw new ConfigError([{ key: 'operationsSecret', source: 'WABAKIT_OPERATIONS_SECRET', message }])
  }
  await checkRecords(config)
}
