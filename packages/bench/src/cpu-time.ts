import { readdirSync, readFileSync } from 'node:fs'
import { Client } from 'pg'
import type { PostgresCluster } from '../../server/test/postgres-cluster.ts'

/** Finds PostgreSQL's main process, the parent of all others. */
export const findPostmaster = async (cluster: PostgresCluster): Promise<number> => {
  const client = new Client({ connectionString: await cluster.createDatabase() })
  await client.connect()
  const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid')
  // This connection's backend stays alive while its parent is looked up.
  const postmaster = readStat(rows[0]?.pid ?? 0)?.parent ?? 0
  await client.end()
  return postmaster
}

/** Linux reports hundredths of a second, regardless of the kernel's timer frequency. */
const microsecondsPerTick = 10_000

type Stat = { readonly parent: number; readonly own: number; readonly exited: number }

/** Reads proc_pid_stat(5). Returns `undefined` if the process has exited. */
const readStat = (pid: number): Stat | undefined => {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'latin1')
    // The name, in parentheses, may contain any character.
    const fields = text
      .slice(text.lastIndexOf(')') + 2)
      .split(' ')
      .map(Number)
    const [parent = 0] = fields.slice(1)
    const [user = 0, system = 0, exitedUser = 0, exitedSystem = 0] = fields.slice(11)
    return { parent, own: user + system, exited: exitedUser + exitedSystem }
  } catch {
    return undefined
  }
}

/** Returns a process's CPU time in microseconds, in steps of 10,000. NaN without `/proc`. */
export const readCpuTime = (pid: number): number => (readStat(pid)?.own ?? Number.NaN) * microsecondsPerTick

/** Returns the CPU time of a process and its children, including exited ones, in microseconds. */
export const readFamilyCpuTime = (pid: number): number => {
  const children = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((name) => readStat(Number(name)))
    .filter((stat) => stat?.parent === pid)
  const self = readStat(pid)
  const ticks = [...children.map((stat) => stat?.own ?? 0), self?.own ?? 0, self?.exited ?? 0]
  return ticks.reduce((sum, each) => sum + each) * microsecondsPerTick
}
