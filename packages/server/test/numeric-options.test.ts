import * as server from '@wabakit/server'
import * as postgres from '@wabakit/server/postgres'
import { type NumericOptions, testNumericOptions } from '../../../tools/numeric-options.ts'

const { startServer } = server
const { openPostgres } = postgres
const url = 'postgres://127.0.0.1:1/wabakit'

testNumericOptions('server', {
  startServer: {
    port: (port) => startServer({ port }),
    fd: (fd) => startServer({}, { fd }),
    trustProxy: (trustProxy) => startServer({ trustProxy }),
    drainMs: (drainMs) => startServer({ drainMs }),
    shutdownGraceMs: (shutdownGraceMs) => startServer({ shutdownGraceMs }),
    requestTimeoutMs: (requestTimeoutMs) => startServer({ requestTimeoutMs }),
    maxConnections: (maxConnections) => startServer({ maxConnections }),
    deliveryConcurrency: (deliveryConcurrency) => startServer({ deliveryConcurrency }),
    deliveryConcurrencyPerSubscription: (deliveryConcurrencyPerSubscription) =>
      startServer({ deliveryConcurrencyPerSubscription }),
    rateLimitPerAddress: (rateLimitPerAddress) => startServer({ rateLimitPerAddress }),
    rateLimitPerCall: (rateLimitPerCall) => startServer({ rateLimitPerCall }),
    rateLimitPerKey: (rateLimitPerKey) => startServer({ rateLimitPerKey }),
    rateLimitPerOrganization: (rateLimitPerOrganization) => startServer({ rateLimitPerOrganization }),
    retentionDays: (retentionDays) => startServer({ retentionDays }),
    recordRetentionDays: (recordRetentionDays) => startServer({ recordRetentionDays }),
  },
  // A seed may be any whole number.
} satisfies NumericOptions<typeof server, 'seed'>)

testNumericOptions('postgres', {
  openPostgres: {
    maxConnections: (maxConnections) => openPostgres({ url, maxConnections }),
    connectTimeoutMs: (connectTimeoutMs) => openPostgres({ url, connectTimeoutMs }),
    statementTimeoutMs: (statementTimeoutMs) => openPostgres({ url, statementTimeoutMs }),
  },
} satisfies NumericOptions<typeof postgres>)
