import { createReferenceServer, InputError, memoryStore, RecordExistsError } from '@wabakit/core'
import { ConfigError, type ConfigProblem } from '../config/config-error.ts'
import type { ServerConfig } from '../config/server-config.ts'
import { ensureDemo } from './demo.ts'
import { ensureOperator } from './operator.ts'

/**
 * Runs `work`, which creates a record from a setting. Rejects with a ConfigError if the service refuses the setting.
 */
export const createConfigured = async <Result>(
  { key, source }: Omit<ConfigProblem, 'message'>,
  work: () => Promise<Result>,
): Promise<Result> => {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof InputError || error instanceof RecordExistsError)) throw error
    // Organizations are checked one at a time, and `key` identifies the organization.
    const message = `is not valid: ${error.message.replaceAll('organizations.0.', '')}`
    throw new ConfigError([{ key, source, message }], { cause: error })
  }
}

type Checked = Pick<
  ServerConfig,
  'organizations' | 'webhookUrl' | 'webhookAuthorization' | 'operationsUrl' | 'operationsSecret'
> & {
  readonly allowLoopbackHttp: boolean
}

/**
 * Checks the organizations and webhook URLs by creating them in memory, before anything is stored.
 *
 * @throws ConfigError
 */
export const checkOrganizations = async ({
  organizations,
  webhookUrl,
  webhookAuthorization,
  operationsUrl,
  operationsSecret,
  ...rules
}: Checked): Promise<void> => {
  const store = memoryStore()
  for (const [index, organization] of organizations.entries()) {
    await createConfigured({ key: `organizations.${index}`, source: organization.id }, () =>
      createReferenceServer({ store, organizations: [organization] }).ready(),
    )
  }
  const service = createReferenceServer(rules)
  const operators = memoryStore()
  await createConfigured({ key: 'operationsUrl', source: '--operations-url' }, () =>
    ensureOperator(
      { service: createReferenceServer({ ...rules, store: operators }), store: operators },
      { operationsUrl, operationsSecret },
    ),
  )
  await createConfigured({ key: 'webhookUrl', source: '--webhook-url' }, () =>
    ensureDemo(service, { webhookUrl, webhookAuthorization }),
  )
}
