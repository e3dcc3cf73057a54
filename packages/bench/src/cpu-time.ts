import { readdirSync, readFileSync } from 'node:fs'

/** Linux counts in hundredths of a second, whatever its kernel ticks in. */
const microsecondsPerTick = 10_000

type Stat = { readonly parent: number; readonly own: number; readonly ended: number }

/** See proc_pid_stat(5); `undefined` when the process has ended. */
const statOf = (pid: number): Stat | undefined => {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'latin1')
    // The name, in parentheses, may hold anything.
    const fields = text
      .slice(text.lastIndexOf(')') + 2)
      .split(' ')
      .map(Number)
    const [parent = 0] = fields.slice(1)
    const [user = 0, system = 0, endedUser = 0, endedSystem = 0] = fields.slice(11)
    return { parent, own: user + system, ended: endedUser + endedSystem }
  } catch {
    return undefined
  }
}

/** The process that started another. */
export const parentOf = (pid: number): number => statOf(pid)?.parent ?? 0

/** CPU time that a process has used, in microseconds, to the hundredth of a second; NaN where `/proc` cannot tell. */
export const cpuTime = (pid: number): number => (statOf(pid)?.own ?? Number.NaN) * microsecondsPerTick

/** The same of a process with its children, also those that have ended. */
export const cpuTimeOfFamily = (pid: number): number => {
  const children = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((name) => statOf(Number(name)))
    .filter((stat) => stat?.parent === pid)
  const self = statOf(pid)
  const ticks = [...children.map((stat) => stat?.own ?? 0), self?.own ?? 0, self?.ended ?? 0]
  return ticks.reduce((sum, each) => sum + each) * microsecondsPerTick
}
