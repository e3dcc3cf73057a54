import { readdirSync, readFileSync } from 'node:fs'
import { Client } from 'pg'
import type { PostgresCluster } from '../../../packages/server/test/postgres-cluster.ts'

/** Finds the main process of PostgreSQL, which is the parent of its other processes. */
export const findPostmaster = async (cluster: PostgresCluster): Promise<number> => {
  const client = new Client({ connectionString: await cluster.createDatabase() })
  await client.connect()
  const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid')
  // The connection is still open, so its process is still running.
  const postmaster = readStat(rows[0]?.pid ?? 0)?.parent ?? 0
  await client.end()
  return postmaster
}

/** Linux reports CPU time in hundredths of a second, regardless of the kernel's timer frequency. */
const microsecondsPerTick = 10_000

type Stat = { readonly parent: number; readonly own: number; readonly exited: number }

/** Reads proc_pid_stat(5). Returns `undefined` if the process has exited. */
const readStat = (pid: number): Stat | undefined => {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'latin1')
    // The name of the process is in parentheses, and may itself contain parentheses and spaces.
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

/** Returns the CPU time of a process in microseconds, in steps of 10,000. Without `/proc`, returns NaN. */
export const readCpuTime = (pid: number): number => (readStat(pid)?.own ?? Number.NaN) * microsecondsPerTick

/** Returns the CPU time of a process and all its children, including exited ones, in microseconds. */
export const readFamilyCpuTime = (pid: number): number => {
  const children = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((name) => readStat(Number(name)))
    .filter((stat) => stat?.parent === pid)
  const self = readStat(pid)
  const ticks = [...children.map((stat) => stat?.own ?? 0), self?.own ?? 0, self?.exited ?? 0]
  return ticks.reduce((sum, each) => sum + each) * microsecondsPerTick
}
