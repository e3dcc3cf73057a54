import { setTimeout } from 'node:timers/promises'
import { findFreePort } from './free-port.ts'
import { createCluster, type PostgresCluster } from './postgres-cluster.ts'

/** A PostgreSQL server and its standby. */
export type PostgresPair = {
  /** The server that currently accepts writes. */
  readonly primary: () => PostgresCluster
  /** Creates an empty database. Returns its name. */
  createDatabase(): Promise<string>
  /** Returns the address of a database on the server that currently accepts writes. */
  addressOf(database: string): string
  /** Returns the address of a database with both hosts, starting with the original standby. */
  bothAddressesOf(database: string): string
  /**
   * Kills the primary and promotes the standby.
   *
   * @param lagMs - the time without replication before the failover, in milliseconds.
   */
  failOver(lagMs?: number): Promise<void>
  /** Turns the killed server into a standby of the other one. */
  repair(): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}

export type PairOptions = {
  /** Set if commits wait for the standby. */
  readonly isSynchronous: boolean
  readonly settings?: Readonly<Record<string, string>>
}

/** Starts a primary, and a standby that has caught up with it. */
export const createPair = async ({ isSynchronous, settings: own }: PairOptions): Promise<PostgresPair> => {
  const settings = { wal_keep_size: '1GB', ...own }
  const ports = [await findFreePort(), await findFreePort()]
  let primary = await createCluster({ settings, port: ports[0] })
  let standby: PostgresCluster | undefined

  const isCaughtUp = async (): Promise<boolean> => {
    const wanted = isSynchronous ? 'sync' : 'async'
    const sql = `SELECT FROM pg_stat_replication WHERE state = 'streaming' AND sync_state = '${wanted}'`
    return (await primary.query(sql)).length === 1
  }
  const addStandby = async (): Promise<void> => {
    const port = ports.find((each) => each !== primary.port)
    standby = await createCluster({ settings, port, standbyOf: primary })
    await primary.query(`ALTER SYSTEM SET synchronous_standby_names = '${isSynchronous ? '*' : ''}'`)
    await primary.query('SELECT pg_reload_conf()')
    while (!(await isCaughtUp())) await setTimeout(50)
  }
  await addStandby()

  const formatHosts = (hosts: readonly (number | undefined)[], database: string): string =>
    `postgres://wabakit:wabakit@${hosts.map((port) => `127.0.0.1:${port}`).join()}/${database}`
  return {
    primary: () => primary,
    createDatabase: async () => new URL(await primary.createDatabase()).pathname.slice(1),
    addressOf: (database) => formatHosts([primary.port], database),
    bothAddressesOf: (database) => formatHosts(ports.toReversed(), database),
    failOver: async (lagMs = 0) => {
      if (standby === undefined) throw new Error('There is no standby.')
      if (lagMs > 0) {
        await standby.query(`ALTER SYSTEM SET primary_conninfo = ''`)
        await standby.query('SELECT pg_reload_conf()')
        await setTimeout(lagMs)
      }
      await primary.crash()
      await primary.remove()
      primary = standby
      standby = undefined
      await primary.query('SELECT pg_promote()')
    },
    repair: addStandby,
    [Symbol.asyncDispose]: async () => {
      await standby?.remove()
      await primary.remove()
    },
  }
}
