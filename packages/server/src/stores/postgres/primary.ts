import pg from 'pg'
import { listAddresses } from './database-address.ts'
import { assertWritable } from './session.ts'

/**
 * How long a search result is reused, in milliseconds, so that failing requests do not flood the hosts with
 * connections.
 */
const searchMs = 250

/** Finds the primary among the hosts of a URL: the host that accepts writes. */
export const createPrimary = (connection: pg.ClientConfig & { readonly connectionString: string }) => {
  const addresses = listAddresses(connection.connectionString)
  let [current = connection.connectionString] = addresses
  let search: Promise<void> | undefined

  const checkHost = async (address: string): Promise<string> => {
    const timeout = connection.connectionTimeoutMillis
    const client = new pg.Client({ ...connection, connectionString: address, query_timeout: timeout })
    client.on('error', () => {})
    try {
      await client.connect()
      await assertWritable(client)
      return address
    } finally {
      client.end().catch(() => {})
    }
  }
  const findFirst = async (): Promise<void> => {
    current = await Promise.any(addresses.map(checkHost))
  }

  return {
    /** Returns the URL of the most recently found host. Initially, this is the first host. */
    address: (): string => current,
    /**
     * Finds the host that accepts writes, if there are several hosts. Concurrent callers share a search.
     *
     * @throws AggregateError with an error for each host, if none accepts writes.
     */
    find: (): Promise<void> => {
      if (addresses.length === 1) return Promise.resolve()
      if (search === undefined) {
        search = findFirst()
        const forget = (): void => void setTimeout(() => (search = undefined), searchMs).unref()
        search.then(forget, forget)
      }
      return search
    },
  }
}
