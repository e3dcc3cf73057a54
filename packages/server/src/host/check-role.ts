import { ConfigError } from '../config/config-error.ts'
import type { ServerConfig } from '../config/server-config.ts'
import { isPostgres } from './open-store.ts'

/**
 * Refuses a role that leaves half of the work to other processes which cannot be there.
 *
 * @throws ConfigError
 */
export const checkRole = ({ role, database }: Pick<ServerConfig, 'role' | 'database'>): void => {
  if (role === 'all' || isPostgres(database)) return
  const message = `can be ${role} with a PostgreSQL database only: a SQLite file serves one process, which does all.`
  throw new ConfigError([{ key: 'role', source: '--role', message }])
}
