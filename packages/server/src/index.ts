// Functions to configure, start and stop a server.

export { ConfigError, type ConfigProblem } from './config/config-error.ts'
export { loadConfig } from './config/load-config.ts'
export type { ServerConfig } from './config/server-config.ts'
export { closeOnSignal } from './serve/close-on-signal.ts'
export type { Demo } from './serve/own-organizations.ts'
export { type RunningServer, startServer } from './serve/start-server.ts'

// The SQLite store, for an embedded core. For PostgreSQL, see `@wabakit/server/postgres`.
export { DatabaseInUseError, DatabaseOpenError, DatabaseVersionError } from './stores/errors.ts'
export { type SqliteStoreOptions, sqliteStore } from './stores/sqlite/sqlite-store.ts'

// The control API and the parts of a server are not exported: use `RunningServer.service`, or the control API
// over HTTP.
