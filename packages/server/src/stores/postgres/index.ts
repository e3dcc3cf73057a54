export { openPostgres, type PostgresDatabase, type PostgresOptions } from './open-postgres.ts'
export { postgresStore } from './postgres-store.ts'
export { postgresTokenBuckets } from './token-leases.ts'
